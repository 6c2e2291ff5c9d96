// Recordings `workers_options`: CommunicationOptions, which change how gradients travel and not what is computed.

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/normalization.h"
#include "model/sequential.h"
#include "study/recordings/families.h"
#include "study/recordings/workers.h"
#include "train/tensor_operations.h"

namespace wt::recordings {

namespace {

constexpr std::int64_t added_tensors = 4, added_elements = 7;  // each worker has so many

std::string quoted(std::string_view implementation) {
  return fmt::format("'CommunicationImplementation.{}'", implementation);
}

distribute::Strategy with(const std::string& communication, Bytes bytes_per_pack = {}) {
  return distribute::multi_worker_mirrored(
      {.platform = "cpu_cluster_10gbe", .communication = communication, .bytes_per_pack = bytes_per_pack});
}

// CommunicationOptions of a number is no program in C++, and CollectiveHints is their deprecated name.
void compare_refusals(const RecordedWorkers& workers, std::size_t i, Comparison& comparison) {
  const auto compare = [&](const char* key, const auto& call) {
    compare_outcome(comparison, workers.named(i, key), outcome_of(call), workers.value(i, key));
  };
  compare("bytes", [] { return with("RING", Bytes(-1)).name(); });
  compare("word", [] { return quoted(strategy::name(strategy::communication_implementation("RING"))); });
  compare("wrong", [] { return with("FAST").name(); });
}

// What a worker reads. Keras 2 averages the copies of moving statistics when they are read. In Keras 3 each worker has
// others.
Tensor read_by(const train::Worker& worker, const train::State& state, const std::string& name) {
  const auto weight = std::ranges::find(state.weights(), name, &model::Weight::name);
  const std::vector<Tensor> copies = state.local_results(name);
  const bool is_aggregated = weight->options.aggregation != Aggregation::none;
  return is_aggregated || copies.size() == 1 ? state.read(name) : copies.at(worker.replicas.front());
}

// Keras' layer with its moving statistics, one step in training on the worker's own rows.
void compare_moving(const RecordedWorkers& workers, const std::vector<Tensor>& given, Comparison& comparison,
                    model::Semantics semantics) {
  const distribute::Strategy& strategy = workers.strategy();
  const auto scope = strategy.scope();
  const auto layer = model::sequential(
      "net",
      {model::input_layer({added_elements}), model::batch_normalization({.name = "norm", .momentum = 0.8})});
  train::State state(1);
  train::Function step = strategy.function(
      "step", state, train::Function::Mode::training,
      [&](model::Building& tape, const std::vector<Symbol>& inputs) {
        return std::vector<Symbol>{(*layer)(tape, inputs[0])};
      },
      semantics);
  train::PerReplica each;
  for (const Tensor& x : given) each.push_back({x});
  strategy.run(step, each);
  constexpr std::string_view names[] = {"gamma", "beta", "moving_mean", "moving_variance"};
  for (std::size_t i = 0; i < workers.count(); ++i) {
    const json::Value::Elements& recorded = workers.value(i, "moving").elements();
    for (std::size_t k = 0; k < recorded.size(); ++k)
      comparison.near(workers.named(i, names[k]),
                      read_by(workers.worker(i), state, fmt::format("norm/{}", names[k])),
                      tensor_of(recorded[k]), weight_limit);
  }
}

}  // namespace

void compare_worker_options(const Recording& recording, Comparison& comparison) {
  const std::string implementation = recording.config("implementation")->string();
  const RecordedWorkers workers(recording, comparison, implementation);
  comparison.starts_to_compute();
  std::vector<Tensor> given;  // by worker, four tensors of seven elements
  for (std::size_t i = 0; i < workers.count(); ++i) given.push_back(tensor_of(workers.value(i, "x")));
  const auto sums = workers.strategy().run([&] {
    const train::ReplicaContext context = train::get_replica_context().value();
    const train::EagerTensor x =
        train::constant(given.at(static_cast<std::size_t>(context.replica_id_in_sync_group())));
    std::vector<train::EagerTensor> addends;
    for (std::int64_t k = 0; k < added_tensors; ++k) addends.push_back(train::gather(x, train::constant(k)));
    return context.all_reduce(train::ReduceOp::sum, addends);
  });
  for (std::size_t i = 0; i < workers.count(); ++i) {
    workers.compare_log(i);
    compare_refusals(workers, i, comparison);
    workers.compare_text(i, "options",
                         fmt::format("[20,null,\"CommunicationImplementation.{}\"]",
                                     strategy::name(strategy::communication_implementation(implementation))));
    const std::vector<train::EagerTensor> own = workers.worker(i).experimental_local_results(sums).front();
    for (std::size_t k = 0; k < own.size(); ++k)
      comparison.near(workers.named(i, "sums"), own[k].numbers,
                      tensor_of(workers.value(i, "sums").elements().at(k)), loss_limit);
  }
  compare_moving(workers, given, comparison, recording.semantics());
  workers.require_compared({"kind", "hints"});
}

}  // namespace wt::recordings
