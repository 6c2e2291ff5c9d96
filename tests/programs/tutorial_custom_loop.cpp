// TensorFlow's tutorial "Custom training with tf.distribute.Strategy", on two graphics cards that are only described:
// the same parts in the same order, and the time of its step. The images are synthetic, so that the program needs no
// files; data::read_fashion_mnist(folder) returns rows of the same form.
#include <fmt/format.h>

#include "data/synthetic.h"
#include "distribute/strategy.h"
#include "model/layers/convolution.h"
#include "model/layers/dense.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "model/sequential.h"

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t batch_size_per_replica = 64;
constexpr int epochs = 3;

std::shared_ptr<const model::Layer> create_model() {
  return model::sequential(
      "tutorial",
      {model::input_layer({28, 28, 1}),
       model::conv2d({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"}), model::max_pooling2d(),
       model::conv2d({.filters = 64, .kernel_size = {3, 3}, .activation = "relu"}), model::max_pooling2d(),
       model::flatten(), model::dense({.units = 64, .activation = "relu"}), model::dense({.units = 10})});
}

int main() {
  const auto strategy = distribute::mirrored({.platform = "workstation_2x4090"});
  fmt::print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  const std::int64_t global_batch_size = batch_size_per_replica * strategy.num_replicas_in_sync();

  const auto pictures = data::Dataset::from_rows(data::synthetic_rows(data::Classification{.rows = 1664}));
  const auto train_dataset = strategy.experimental_distribute_dataset(
      pictures.take(1280).shuffle(1280, data::shuffle_seed(1)).batch(global_batch_size));
  const auto test_dataset =
      strategy.experimental_distribute_dataset(pictures.skip(1280).batch(global_batch_size));

  const auto scope = strategy.scope();
  const auto model = create_model();
  train::State state(1);
  const model::Optimizer optimizer = model::optimizer_named("adam");
  const model::Loss cross_entropy = model::loss_named(
      "sparse_categorical_crossentropy", {.from_logits = true, .reduction = model::LossReduction::none});
  const auto train_accuracy = model::metric_named("sparse_categorical_accuracy", "train_accuracy");
  const auto test_accuracy = model::metric_named("sparse_categorical_accuracy", "test_accuracy");

  const auto compute_loss = [&](Symbol labels, Symbol predictions) {
    return model::compute_average_loss(model::per_example_loss(cross_entropy, labels, predictions),
                                       global_batch_size);
  };
  train::Function train_step = strategy.function(
      "train_step", state, train::Function::Mode::training, [&](Building& tape, const Symbols& inputs) {
        const Symbol predictions = (*model)(tape, inputs[0]);
        const Symbol loss = compute_loss(inputs[1], predictions);
        const Symbols variables = tape.trainable();
        model::apply_gradients(tape, optimizer, variables, tape.trace().gradient(loss, variables),
                               fill(tape.trace(), {Type::float32, {}}, optimizer.learning_rate));
        model::update_metric(tape, train_accuracy, inputs[1], predictions);
        return Symbols{loss};
      });
  train::Function test_step = strategy.function(
      "test_step", state, train::Function::Mode::inference, [&](Building& tape, const Symbols& inputs) {
        const Symbol predictions = (*model)(tape, inputs[0]);
        model::update_metric(tape, test_accuracy, inputs[1], predictions);
        return Symbols{compute_loss(inputs[1], predictions)};
      });

  const auto result_and_reset = [&](const model::Metric& metric) {
    const auto value = [&](const std::string& name) {
      const Tensor tensor = state.read(name);
      state.reset(name);
      return tensor.values<float>()[0];
    };
    const float total = value(model::total_name(metric)), count = value(model::count_name(metric));
    return 100 * model::metric_result(total, count);
  };
  double accuracy = 0;
  timing::Simulated time;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    float total_loss = 0;
    int num_batches = 0;
    auto batches = train_dataset.iterate(static_cast<std::uint64_t>(epoch));
    for (; const auto batch = batches.next(); ++num_batches) {
      const train::PerReplica losses = strategy.run(train_step, *batch);
      const Tensor loss = strategy.reduce(train::ReduceOp::sum, train::experimental_local_results(losses));
      total_loss += loss.values<float>()[0];
      if (num_batches == 0) time = strategy.simulate(train_step, *batch);
    }
    auto test_batches = test_dataset.iterate();
    while (const auto batch = test_batches.next()) strategy.run(test_step, *batch);
    accuracy = result_and_reset(test_accuracy);
    fmt::print("Epoch {}, Loss: {}, Accuracy: {}, Test Accuracy: {}\n", epoch + 1,
               total_loss / static_cast<float>(num_batches), result_and_reset(train_accuracy), accuracy);
  }
  fmt::print("A step takes {:.2f} ms on two {}, {:.0f} images/s\n", time.step.count() * 1e3, time.device,
             time.samples_per_second);
  return accuracy > 90 ? 0 : 1;
}
