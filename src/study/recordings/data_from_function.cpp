// Recordings `data_from_function_`: datasets that a function makes for each input pipeline, distributed over a strategy.
// Where the program returns no dataset, or its function takes no context, C++ doesn't compile.

#include <fmt/format.h>

#include "study/recordings/datasets.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

using data::Dataset;
using data::InputContext;

struct DatasetFunction {
  std::string_view name{};
  Dataset (*make)(const InputContext& context) = nullptr;
};

Dataset nest() {
  return Dataset::from_tensor_slices(
      {Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<std::int32_t>({3}, {4, 5, 6})});
}

// The functions of the recorded program, by their names there.
constexpr DatasetFunction functions[] = {
    {"batches",
     [](const InputContext& context) {
       return Dataset::range(9).shard(context.input_pipelines, context.input_pipeline).batch(2);
     }},
    {"uneven", [](const InputContext&) { return Dataset::range(3).batch(2); }},
    {"drop", [](const InputContext&) { return Dataset::range(7).batch(2, true); }},
    {"unbatched", [](const InputContext&) { return Dataset::range(5); }},
    {"empty", [](const InputContext&) { return Dataset::range(0).batch(2); }},
    {"endless", [](const InputContext&) { return Dataset::range(3).repeat().batch(2); }},
    {"nest", [](const InputContext&) { return nest().batch(1); }},
    {"shuffled",
     [](const InputContext&) { return Dataset::range(6).shuffle(6, data::shuffle_seed(3)).batch(1); }},
};

constexpr std::int64_t most_of_an_epoch = 8;

void compare_function(const Recording& recording, Comparison& comparison, const DatasetFunction& function,
                      const data::Distribution& distribution) {
  const std::string name(function.name);
  const ComponentNames names = name == "nest" ? ComponentNames{"x", "y"} : ComponentNames{};
  const auto dataset = data::DistributedDataset::from_function(function.make, distribution);
  compare_call(recording, comparison, name + "/element_spec", [&] { return dataset.element_spec(names); });
  compare_call(recording, comparison, name + "/replicas",
               [&] { return text_of(dataset, {.count = 2, .limit = most_of_an_epoch}, names); });
  if (name == "endless") return;
  compare_call(recording, comparison, name + "/exhausted", [&] {
    data::DistributedIterator iterator = dataset.iterate();
    for (std::int64_t i = 0; i < most_of_an_epoch; ++i)
      if (!iterator.next()) throw StopIteration();
    return std::string();
  });
}

void compare_contexts(const Recording& recording, Comparison& comparison,
                      const data::Distribution& distribution) {
  std::vector<InputContext> contexts;
  data::DistributedDataset::from_function(
      [&](const InputContext& context) {
        contexts.push_back(context);
        return Dataset::range(1);
      },
      distribution);
  const json::Value::Elements& recorded = recording.value("contexts")->elements();
  comparison.same("the number of contexts", fmt::format("{}", contexts.size()),
                  fmt::format("{}", recorded.size()));
  for (std::size_t i = 0; i < std::min(contexts.size(), recorded.size()); ++i) {
    const auto same = [&](const char* key, const std::string& ours) {
      comparison.same(fmt::format("context {}, {}", i, key), ours, text_of(*recorded[i].find(key)));
    };
    same("str", print(contexts[i]));
    same("num_input_pipelines", fmt::format("{}", contexts[i].input_pipelines));
    same("input_pipeline_id", fmt::format("{}", contexts[i].input_pipeline));
    same("num_replicas_in_sync", fmt::format("{}", contexts[i].replicas_in_sync));
  }
  for (const std::int64_t batch : {12, 7})
    compare_call(recording, comparison, fmt::format("per replica of {}", batch),
                 [&] { return fmt::format("{}", contexts.front().per_replica_batch_size(batch)); });
}

}  // namespace

void compare_from_function(const Recording& recording, Comparison& comparison) {
  const data::Distribution distribution = distribution_named(recording.config("strategy")->string());
  comparison.starts_to_compute();
  compare_contexts(recording, comparison, distribution);
  for (const DatasetFunction& function : functions)
    compare_function(recording, comparison, function, distribution);
}

}  // namespace wt::recordings
