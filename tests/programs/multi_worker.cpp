// Two workers as TF_CONFIG describes them, each on a machine with eight GPUs, train with MultiWorkerMirroredStrategy. In
// TensorFlow each worker is a process that runs this program; here one program computes the replicas of both.
#include <fmt/format.h>

#include <cmath>

#include "cluster/resolver.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/sequential.h"

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t global_batch_size = 128, features = 20;

data::Dataset rows() {
  std::vector<float> x, y;
  for (int row = 0; row < 4 * global_batch_size; ++row) {
    float sum = 0;
    for (int i = 0; i < features; ++i) {
      x.push_back(std::sin(static_cast<float>(row * features + i)));
      sum += x.back() * static_cast<float>(i % 3);
    }
    y.push_back(sum);
  }
  const std::int64_t count = std::ssize(y);
  return data::Dataset::from_tensor_slices(
      {Tensor::of<float>({count, features}, x), Tensor::of<float>({count, 1}, y)});
}

int main() {
  const std::map<std::string, std::string> environment{
      {"TF_CONFIG", R"({"cluster": {"worker": ["host1:2222", "host2:2222"]},
                        "task": {"type": "worker", "index": 0}})"}};
  const cluster::TFConfigClusterResolver resolver(cluster::tf_config_of(environment));
  const int workers = resolver.cluster_spec().num_tasks("worker");
  fmt::print("{}, this is {} {} at {}\n", print(resolver.cluster_spec()), *resolver.task_type(),
             *resolver.task_id(), resolver.master());

  const auto strategy = distribute::multi_worker_mirrored(
      {.platform = "dgx_a100", .communication = "nccl", .cluster_resolver = &resolver});
  fmt::print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  const auto dataset = strategy.experimental_distribute_dataset(rows().batch(global_batch_size));

  const auto scope = strategy.scope();
  const auto model = model::sequential(
      "regression", {model::input_layer({features}), model::dense({.units = 64, .activation = "relu"}),
                     model::dense({.units = 1})});
  const model::Optimizer optimizer = model::optimizer_named("adam");
  train::State state(1);
  train::Function train_step = strategy.function(
      "train_step", state, train::Function::Mode::training, [&](Building& tape, const Symbols& inputs) {
        const model::Loss mse = model::loss_named("mse", {.reduction = model::LossReduction::none});
        const Symbol losses = model::per_example_loss(mse, inputs[1], (*model)(tape, inputs[0]));
        const Symbol loss = model::compute_average_loss(losses, global_batch_size);
        const Symbols variables = tape.trainable();
        model::apply_gradients(tape, optimizer, variables, tape.trace().gradient(loss, variables),
                               model::learning_rate(tape, optimizer));
        return Symbols{loss};
      });

  std::vector<float> losses;
  timing::Simulated time;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    auto batches = dataset.iterate(epoch);
    while (const auto batch = batches.next()) {
      const train::PerReplica each = strategy.run(train_step, *batch);
      const Tensor loss = strategy.reduce(train::ReduceOp::sum, each, 0);
      losses.push_back(loss.values<float>()[0]);
      if (losses.size() == 1) time = strategy.simulate(train_step, *batch);
    }
  }
  fmt::print("Loss {:.3f} after the first step, {:.1e} after step {}\n", losses.front(), losses.back(),
             losses.size());
  fmt::print(
      "A step takes {:.3f} ms on {} machines with {}, {:.0f} % of it communication that nothing hides\n",
      time.step.count() * 1e3, workers, time.device, 100 * (time.exposed / time.step));
  return strategy.num_replicas_in_sync() == 8 * workers && losses.back() < losses.front() / 4 &&
                 time.step.count() > 0
             ? 0
             : 1;
}
