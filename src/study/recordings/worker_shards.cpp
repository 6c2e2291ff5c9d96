// Recordings `workers_shard_...`: which rows each worker gets of a dataset of numbers, or of files of numbers, by the
// policy.

#include <fmt/format.h>

#include <numeric>

#include "study/recordings/datasets.h"
#include "study/recordings/families.h"
#include "study/recordings/workers.h"

namespace wt::recordings {

namespace {

std::shared_ptr<const data::Rows> numbers_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return data::rows_of({Tensor::of<std::int64_t>({count}, numbers)});
}

// File f has the numbers 100 f, 100 f + 1, ...
data::Dataset dataset_of(const Recording& recording) {
  const std::int64_t rows = recording.config("rows")->integer();
  const json::Value* given = recording.config("files");
  const std::int64_t files = given == nullptr ? 0 : given->integer();
  std::vector<std::shared_ptr<const data::Rows>> parts;
  for (std::int64_t file = 0; file < files; ++file) parts.push_back(numbers_from(100 * file, rows));
  data::Dataset dataset = files > 0 ? data::Dataset::from_files(parts) : data::Dataset::range(rows);
  if (recording.config("policy")->string() == "HINT")
    dataset = dataset.shard(data::shard_hint, data::shard_hint);
  return dataset.batch(recording.config("batch")->integer());
}

// In a worker that has found no error of its own, TensorFlow's collectives fail when the other one ends.
bool is_of_another_worker(const json::Value& steps) {
  return is_error(steps) && steps.find("type")->string() == "UnavailableError";
}

// TensorFlow goes on with the node of its graph.
bool are_unshardable(const Outcome& ours, const json::Value& steps) {
  constexpr std::string_view begin = "Found an unshardable source dataset";
  return is_error(steps) && ours.sentence.starts_with(begin) &&
         steps.find("sentence")->string().starts_with(begin);
}

}  // namespace

void compare_worker_shard(const Recording& recording, Comparison& comparison) {
  const RecordedWorkers workers(recording, comparison);
  data::Distribution distribution = workers.strategy().distribution();
  distribution.policy = policy_named(recording.config("policy")->string());
  comparison.starts_to_compute();
  std::vector<std::vector<data::Element>> steps;
  const Outcome reading = outcome_of([&] {
    auto elements = data::DistributedDataset(dataset_of(recording), distribution).iterate();
    while (auto step = elements.next()) steps.push_back(std::move(*step));
    return std::to_string(steps.size());
  });
  for (std::size_t i = 0; i < workers.count(); ++i) {
    workers.compare_log(i);
    const json::Value& recorded = workers.value(i, "steps");
    if (is_of_another_worker(recorded) && !reading.type.empty()) continue;
    if (are_unshardable(reading, recorded)) {
      comparison.same(workers.named(i, "steps' error"), reading.type, recorded.find("type")->string());
      continue;
    }
    compare_outcome(comparison, workers.named(i, "steps"), reading, recorded);
    if (is_error(recorded)) continue;
    std::string rows;
    for (const auto& step : steps) {
      std::string own;
      for (const data::Element& element : workers.worker(i).experimental_local_results(step))
        own += (own.empty() ? "" : ",") + list_of(element[0]);
      rows += fmt::format("{}[{}]", rows.empty() ? "" : ",", own);
    }
    workers.compare_text(i, "rows", "[" + rows + "]");
  }
  workers.require_compared({});
}

}  // namespace wt::recordings
