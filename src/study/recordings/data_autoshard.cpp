// Recordings `data_autoshard_`: what TensorFlow's rewrite of a dataset leaves to each of several workers, as it is and
// behind a `rebatch`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tensorflow_error.h"
#include "study/recordings/datasets.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

using data::AutoShardPolicy;

data::Dataset source_named(const std::string& source) {
  const data::Dataset rows = data::Dataset::range(9);
  if (source == "range") return rows.batch(4);
  if (source == "shuffled") return rows.shuffle(9, data::shuffle_seed(1)).batch(4);
  if (source == "hint") return rows.shard(data::shard_hint, data::shard_hint).batch(4);
  TextFiles files;
  files.add(0, 6);
  files.add(10, 6);
  if (source == "list_files") return files.lines({.cycle_length = 2}).batch(4);
  if (source == "files" || source == "text") return files.lines().batch(4);
  throw InputError(fmt::format("the source \"{}\" is unknown", source));
}

// An error at the making of a dataset is recorded as a text: "NotFoundError: ...".
void compare_construction(const Recording& recording, Comparison& comparison, const std::string& key,
                          const std::function<std::string()>& call) {
  const json::Value* construct = recording.value(key + "/construct");
  if (construct == nullptr) return compare_call(recording, comparison, key, call);
  const std::string begin = "Found an unshardable source dataset";
  try {
    comparison.fail(fmt::format("{} gives {}, recorded: {}", key, call(), construct->string()));
  } catch (const NotFoundError& error) {
    const bool is_same = std::string_view(error.what()).starts_with(begin) &&
                         construct->string().starts_with("NotFoundError") &&
                         construct->string().find(begin) != std::string::npos;
    comparison.same(key, is_same ? begin : error.what(), begin);
  }
}

std::string sizes_of_workers() {
  std::vector<std::string> workers;
  for (std::int64_t worker = 0; worker < 2; ++worker)
    workers.push_back(fmt::format("[{}]", fmt::join(data::worker_sizes(7, 4, 2, worker), ", ")));
  return fmt::format("[{}]", fmt::join(workers, ", "));
}

// [[2, 2, 2, 1], ...] as it is recorded: lists that state their kind.
std::string recorded_sizes(const json::Value& recorded) {
  std::vector<std::string> workers;
  for (const json::Value& worker : recorded.find("items")->elements())
    workers.push_back(text_of(*worker.find("items")));
  return fmt::format("[{}]", fmt::join(workers, ", "));
}

}  // namespace

data::AutoShardPolicy policy_named(const std::string& wanted) {
  using enum AutoShardPolicy;
  for (const AutoShardPolicy policy : {off, automatic, file, data, hint})
    if (data::name(policy) == wanted) return policy;
  throw InputError(fmt::format("the policy \"{}\" is unknown", wanted));
}

void compare_autoshard(const Recording& recording, Comparison& comparison) {
  const AutoShardPolicy policy = policy_named(recording.config("policy")->string());
  const data::Dataset dataset = source_named(recording.config("source")->string());
  comparison.starts_to_compute();
  for (const json::Value& number : recording.config("workers")->elements())
    for (std::int64_t worker = 0; worker < number.integer(); ++worker) {
      const std::int64_t workers = number.integer();
      const std::string key = fmt::format("{} of {}", worker, workers);
      compare_construction(recording, comparison, key, [&] {
        return text_of(auto_shard(dataset, {policy, workers, worker, workers}), {.limit = 200});
      });
      for (const std::vector<std::int64_t>& sizes :
           std::vector<std::vector<std::int64_t>>{{1, 1}, {2, 1}, {2, 2, 2}})
        compare_construction(
            recording, comparison, fmt::format("{}, rebatch [{}]", key, fmt::join(sizes, ", ")), [&] {
              const std::int64_t replicas = workers * std::ssize(sizes);
              return text_of(auto_shard(dataset.rebatch(sizes), {policy, workers, worker, replicas}),
                             {.limit = 200});
            });
    }
  if (const json::Value* sizes = recording.value("batch_sizes_for_worker"))
    comparison.same("batch_sizes_for_worker", sizes_of_workers(), recorded_sizes(*sizes));
  data::Distribution distribution = distribution_named("mirrored2");
  distribution.policy = policy;
  compare_distributed(recording, comparison, "mirrored2", {dataset, distribution});
}

}  // namespace wt::recordings
