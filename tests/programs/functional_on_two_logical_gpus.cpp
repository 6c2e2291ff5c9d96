// A functional Keras model on a graphics card that is cut into two logical GPUs, as TensorFlow's guide "Use a GPU"
// recommends to test a strategy on one card: MirroredStrategy takes both, and fit gives each half of every batch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/quantity_literals.h"
#include "distribute/strategy.h"
#include "model/functional.h"
#include "model/layers/dense.h"
#include "model/layers/merging.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "train/distributed/extended.h"

using namespace wt;

constexpr std::int64_t batch_size = 32, features = 8;

// A residual connection around a hidden layer.
model::LayerPtr residual_model() {
  const model::Output input = model::input({features});
  const model::Output first = model::dense({.units = 16, .activation = "relu"})(input);
  const model::Output second = model::dense({.units = 16, .activation = "relu"})(first);
  const model::Output both = model::add()(std::vector{first, second});
  return model::functional("residual", {input}, {model::dense({.units = 1})(both)});
}

data::Dataset rows() {
  std::vector<float> x, y;
  for (int row = 0; row < 16 * batch_size; ++row) {
    const std::size_t first = x.size();
    for (int i = 0; i < features; ++i) x.push_back(std::sin(static_cast<float>(row * features + i)));
    y.push_back(x[first] - 2 * x[first + 1] + 0.5f);
  }
  const std::int64_t count = std::ssize(y);
  return data::Dataset::from_tensor_slices(
      {Tensor::of<float>({count, features}, x), Tensor::of<float>({count, 1}, y)});
}

int main() {
  const auto strategy = distribute::mirrored({.platform = "workstation_2x4090",
                                              .devices = {"GPU:0", "GPU:1"},
                                              .logical = {{"GPU:0", {1024_MiB, 1024_MiB}}}});
  fmt::print("{} replicas on {}\n", strategy.num_replicas_in_sync(),
             fmt::join(strategy.extended().worker_devices(), ", "));

  const auto scope = strategy.scope();
  train::State state(1);
  train::Model model(residual_model(), state, strategy.resources());
  model.compile({.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("adam")});
  const auto history = model.fit(rows().batch(batch_size), {.epochs = 12});
  for (const train::EpochResult& epoch : history)
    fmt::print("Epoch {}, loss {:.4f}\n", epoch.epoch + 1, epoch.loss);
  const Tensor x = Tensor::shape_only({Type::float32, {batch_size, features}});
  const timing::Simulated time =
      strategy.simulate(model, {x, Tensor::shape_only({Type::float32, {batch_size, 1}})});
  fmt::print("A step takes {:.3f} ms\n", time.step.count() * 1e3);
  return strategy.num_replicas_in_sync() == 2 && history.back().loss < 0.05 && time.step.count() > 0 ? 0 : 1;
}
