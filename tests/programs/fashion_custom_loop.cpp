// A custom training loop as in TensorFlow's tutorial "Custom training with tf.distribute.Strategy": a step
// with a tape, an optimizer and metrics, checkpoints, and the test of a restored model. The images are
// synthetic, so that the program needs no files. With the files of Fashion-MNIST,
// data::read_fashion_mnist(folder) returns rows of the same form.
#include <fmt/format.h>

#include <filesystem>

#include "data/synthetic.h"
#include "device/cpu/workers.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"
#include "strategy/default.h"
#include "train/checkpoint.h"
#include "train/model.h"

namespace {

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t batch_size = 64;
constexpr int epochs = 3;

std::shared_ptr<const model::Layer> create_model() {
  return model::sequential("fashion",
                           {
                               model::input_layer({28, 28, 1}),
                               model::conv2d({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"}),
                               model::max_pooling2d(),
                               model::conv2d({.filters = 64, .kernel_size = {3, 3}, .activation = "relu"}),
                               model::max_pooling2d(),
                               model::flatten(),
                               model::dense({.units = 64, .activation = "relu"}),
                               model::dense({.units = 10, .activation = "softmax"}),
                           });
}

// The loss and the accuracy of a phase, training or test.
struct Objective {
  model::Loss loss =
      model::loss_named("sparse_categorical_crossentropy", {.reduction = model::LossReduction::none});
  model::Metric accuracy{};

  explicit Objective(std::string_view phase)
      : accuracy(model::metric_named("sparse_categorical_accuracy", fmt::format("{}_accuracy", phase))) {}

  Symbol operator()(Building& building, Symbol labels, Symbol predictions) const {
    model::update_metric(building, accuracy, labels, predictions);
    return model::compute_average_loss(model::per_example_loss(loss, labels, predictions), labels.shape()[0]);
  }

  void reset(train::State& state) const {
    for (const std::string& name : {model::total_name(accuracy), model::count_name(accuracy)})
      state.write(name, Tensor::zeros({Type::float32, {}}));
  }

  double result(const train::State& state) const {
    const auto value = [&](const std::string& name) { return state.read(name).values<float>()[0]; };
    return static_cast<double>(
        model::metric_result(value(model::total_name(accuracy)), value(model::count_name(accuracy))));
  }
};

// Restores a new model from the newest checkpoint and returns its accuracy on rows that were not used in
// training.
double tested_accuracy(const std::filesystem::path& checkpoints, const data::Dataset& test,
                       train::Resources& machine) {
  const auto model = create_model();
  const Objective objective("test");
  train::State state(2);
  train::Function test_step("test_step", state, machine, train::Function::Mode::inference,
                            [&](Building& building, const Symbols& batch) {
                              return Symbols{objective(building, batch[1], (*model)(building, batch[0]))};
                            });
  train::Checkpoint(state).restore(train::latest_checkpoint(checkpoints).value());
  data::Iterator batches = test.iterate();
  while (const auto batch = batches.next()) test_step(*batch);
  return objective.result(state);
}

}  // namespace

int main() {
  device::Workers workers(device::hardware_threads());
  device::CpuQueue queue(workers);
  train::Resources machine{
      [](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"/device:CPU:0"}); },
      queue};

  const auto pictures = data::Dataset::from_rows(data::synthetic_rows(data::Classification{.rows = 1600}));
  const data::Dataset train = pictures.take(1280).shuffle(1280, data::shuffle_seed(1)).batch(batch_size);
  const data::Dataset test = pictures.skip(1280).batch(batch_size);

  const auto model = create_model();
  const Objective objective("train");
  const model::Optimizer adam = model::optimizer_named("adam");
  train::State state(1);
  train::Function train_step(
      "train_step", state, machine, train::Function::Mode::training,
      [&](Building& building, const Symbols& batch) {
        const Symbol loss = objective(building, batch[1], (*model)(building, batch[0]));
        const Symbols variables = building.trainable();
        const Symbols gradients = building.trace().gradient(loss, variables);
        const Symbol rate = fill(building.trace(), {Type::float32, {}}, adam.learning_rate);
        model::apply_gradients(building, adam, variables, gradients, rate);
        return Symbols{loss};
      });

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "windtunnel_fashion_custom_loop";
  std::filesystem::remove_all(folder);
  train::Checkpoint checkpoint(state);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double total_loss = 0;
    int steps = 0;
    data::Iterator batches = train.iterate(static_cast<std::uint64_t>(epoch));
    for (; const auto batch = batches.next(); ++steps)
      total_loss += static_cast<double>(train_step(*batch)[0].values<float>()[0]);
    fmt::print("Epoch {}, Loss: {:.4f}, Accuracy: {:.2f}\n", epoch + 1, total_loss / steps,
               objective.result(state) * 100);
    objective.reset(state);
    checkpoint.save(folder / "ckpt");
  }
  const double accuracy = tested_accuracy(folder, test, machine);
  fmt::print("Accuracy of the restored model on {} other pictures: {:.2f}\n", 320, accuracy * 100);
  std::filesystem::remove_all(folder);
  return accuracy > 0.9 ? 0 : 1;
}
