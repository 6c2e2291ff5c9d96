// A step on eight cores of a TPU v3 that is only described, with the lines that a TensorFlow program for a TPU begins
// with: a resolver, the connection to its cluster, the initialisation of the system, and the strategy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cluster/connect.h"
#include "cluster/tpu_resolver.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/sequential.h"
#include "platform/load.h"

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t global_batch_size = 64;

train::PerReplica batch_for(std::int64_t replicas) {
  train::PerReplica batch;
  const std::int64_t rows = global_batch_size / replicas;
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    std::vector<float> x, y;
    for (std::int64_t row = replica * rows; row < (replica + 1) * rows; ++row) {
      x.push_back(static_cast<float>(row % 16) / 16);
      y.push_back(2 * x.back() + 1);
    }
    batch.push_back({Tensor::of<float>({rows, 1}, x), Tensor::of<float>({rows, 1}, y)});
  }
  return batch;
}

// The weights after one step of gradient descent, and the time of the step.
struct Trained {
  float kernel = 0, bias = 0;
  timing::Simulated time{};
};

Trained trained(const distribute::Strategy& strategy) {
  const auto scope = strategy.scope();
  const auto model =
      model::sequential("linear", {model::input_layer({1}), model::dense({.name = "line", .units = 1})});
  train::State state(1);
  train::Function train_step = strategy.function(
      "train_step", state, train::Function::Mode::training, [&](Building& tape, const Symbols& inputs) {
        const model::Loss mse = model::loss_named("mse", {.reduction = model::LossReduction::none});
        const Symbol losses = model::per_example_loss(mse, inputs[1], (*model)(tape, inputs[0]));
        const Symbol loss = model::compute_average_loss(losses, global_batch_size);
        const Symbols variables = tape.trainable();
        model::apply_gradients(tape, model::optimizer_named("sgd"), variables,
                               tape.trace().gradient(loss, variables),
                               fill(tape.trace(), {Type::float32, {}}, 0.1));
        return Symbols{loss};
      });
  const train::PerReplica batch = batch_for(strategy.num_replicas_in_sync());
  strategy.run(train_step, batch);
  const Tensor kernel = state.read("line/kernel"), bias = state.read("line/bias");
  return {kernel.values<float>()[0], bias.values<float>()[0], strategy.simulate(train_step, batch)};
}

int main() {
  const platform::Platform slice =
      platform::load("tpu_v3", {platform::parse_parameter("slice=v3-8")}).platform;
  const cluster::TPUClusterResolver resolver(slice, {.tpu = "my-tpu"});
  const cluster::Connection connection = cluster::connect_to_cluster(resolver);
  const cluster::TpuSystem system = cluster::initialize_tpu_system(resolver);
  for (const std::string& line : connection.log) fmt::print("{}\n", line);
  for (const std::string& line : system.log) fmt::print("{}\n", line);
  for (const std::string& line : describe(resolver.get_tpu_system_metadata())) fmt::print("{}\n", line);

  const auto strategy = distribute::tpu({.platform = R"({"file": "tpu_v3", "set": {"slice": "v3-8"}})"});
  const Trained on_tpu = trained(strategy);
  const Trained alone = trained(distribute::default_strategy("workstation_2x4090"));
  const float difference =
      std::max(std::abs(on_tpu.kernel - alone.kernel), std::abs(on_tpu.bias - alone.bias));
  fmt::print(
      "{} replicas: kernel {:.5f}, bias {:.5f}, difference from one device {:.1e}; a step takes {:.3f} ms on "
      "{}\n",
      strategy.num_replicas_in_sync(), on_tpu.kernel, on_tpu.bias, difference, on_tpu.time.step.count() * 1e3,
      on_tpu.time.device);
  return strategy.num_replicas_in_sync() == resolver.get_tpu_system_metadata().num_cores &&
                 difference < 1e-5f && on_tpu.time.step.count() > 0
             ? 0
             : 1;
}
