// A training loop with a coordinator, in the steps of TensorFlow's tutorial "Parameter server training with
// ParameterServerStrategy": a strategy with a partitioner, a step function, a dataset for each worker, closures
// that are scheduled, and a join at the end of each epoch. The table of embeddings is in shards on two servers,
// where its rows are looked up. The rows are a small puzzle: three ids, and the class is the sum of two of them.
#include <fmt/format.h>

#include "device/cpu/workers.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "train/coordinator.h"

namespace {

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t ids = 12, classes = 5, rows = 640, batch = 32;
constexpr int epochs = 6, steps_per_epoch = 60;

data::Dataset puzzle() {
  std::vector<std::int32_t> x, y;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t a = i * 7 % ids, b = i * 5 % ids, c = i * 11 % ids;
    for (const std::int64_t id : {a, b, c}) x.push_back(static_cast<std::int32_t>(id));
    y.push_back(static_cast<std::int32_t>((a + b) % classes));
  }
  return data::Dataset::from_tensor_slices(
             {Tensor::of<std::int32_t>({rows, 3}, x), Tensor::of<std::int32_t>({rows}, y)})
      .shuffle(rows, data::shuffle_seed(1))
      .batch(batch, true)
      .repeat();
}

// The loss of a batch; the gradients are applied where the variables are.
Symbols train_step(Building& building, const Symbols& rows_and_labels) {
  const Symbol table =
      building.weight({"table", {Type::float32, {ids, 16}}, {model::Uniform{-0.5, 0.5}, {}}, {}, {}});
  const Symbol kernel =
      building.weight({"kernel", {Type::float32, {48, classes}}, {model::Uniform{-0.3, 0.3}, {}}, {}, {}});
  const Symbol looked_up = reshape(embedding(rows_and_labels[0], table), {batch, 48});
  const Symbol loss =
      reduce_mean(sparse_softmax_cross_entropy(matmul(looked_up, kernel), rows_and_labels[1]));
  const model::Optimizer adam = model::optimizer_named("adam");
  const Symbol rate = fill(building.trace(), {Type::float32, {}}, 0.02);
  model::apply_gradients(building, adam, {table, kernel}, building.trace().gradient(loss, {{table, kernel}}),
                         rate);
  return {loss};
}

}  // namespace

int main() {
  train::ParameterServerStrategy strategy({.workers = 3, .servers = 2},
                                          model::partition_by(model::FixedShardsPartitioner{2}));
  device::Workers workers(device::hardware_threads());
  device::CpuQueue queue(workers);
  train::Resources machine = strategy.resources(queue);
  train::State state(1);
  train::Function step("step", state, machine, train::Function::Mode::training, train_step);

  train::ClusterCoordinator coordinator(strategy);
  const train::PerWorkerIterator batches = coordinator.create_per_worker_dataset(puzzle).iterate();
  double loss = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::vector<train::RemoteValue> losses;
    for (int i = 0; i < steps_per_epoch; ++i) losses.push_back(coordinator.schedule(step, {batches}));
    coordinator.join();
    loss = 0;
    for (const train::RemoteValue& each : losses)
      loss += static_cast<double>(each.fetch().front().values<float>()[0]) / steps_per_epoch;
    fmt::print("Epoch {}, Loss: {:.4f}\n", epoch + 1, loss);
  }
  return loss < 0.2 ? 0 : 1;
}
