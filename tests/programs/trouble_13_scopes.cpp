// A model that is made in the scope of one strategy and trained in that of another one.
#include <fmt/format.h>

#include "device/error.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/sequential.h"

using namespace wt;

int main() {
  const auto mine = distribute::mirrored({.platform = "workstation_2x4090"});
  const auto other = distribute::one_device({.platform = "workstation_2x4090", .device = "GPU:1"});
  const auto layer = model::sequential("linear", {model::input_layer({1}), model::dense({.units = 1})});
  train::State state(1);
  std::optional<train::Model> made;
  {
    const auto scope = mine.scope();
    made.emplace(layer, state, mine.resources());
    made->compile({.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("adam")});
  }
  const Tensor ones = Tensor::of<float>({4, 1}, {1, 1, 1, 1});
  const data::Dataset rows = data::Dataset::from_tensor_slices({ones, ones}).batch(4);
  bool is_refused = false;
  try {
    const auto scope = other.scope();
    made->fit(rows, {});
  } catch (const device::RuntimeError& error) {
    fmt::print("in another scope: {}\n", error.what());
    is_refused = std::string(error.what()).find("Mixing different tf.distribute.Strategy objects") == 0;
  }
  const auto scope = mine.scope();
  const double loss = made->fit(rows, {}).front().loss;
  fmt::print("in its own scope: loss {:.4f}\n", loss);
  return is_refused && loss > 0 ? 0 : 1;
}
