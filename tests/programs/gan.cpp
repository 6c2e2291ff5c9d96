// A generative adversarial network: two models and two optimizers in one compiled step, on one and on two graphics cards
// that are only described. The losses of a replica are divided by the size of the global batch, so that one card and two
// train the same weights.
#include <fmt/format.h>

#include <cmath>

#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/sequential.h"
#include "model/weights.h"

using namespace wt;
using model::Building;
using Symbols = std::vector<Symbol>;

constexpr std::int64_t global_batch_size = 64, noise_size = 4, data_size = 2;
constexpr int steps = 50;

// Points on a circle, and noise between -1 and 1.
data::Dataset points_and_noise() {
  constexpr std::int64_t rows = steps * global_batch_size;
  std::vector<float> points, noise;
  for (int row = 0; row < rows; ++row) {
    const auto angle = static_cast<float>(row % 97);
    points.insert(points.end(), {std::cos(angle), std::sin(angle)});
    for (int i = 0; i < noise_size; ++i) noise.push_back(std::sin(static_cast<float>(7 * row + i * i)));
  }
  return data::Dataset::from_tensor_slices(
      {Tensor::of<float>({rows, data_size}, points), Tensor::of<float>({rows, noise_size}, noise)});
}

// The mean over the global batch of the losses of these rows, all of which have the same label.
Symbol cross_entropy(Symbol logits, double label) {
  const model::Loss loss = model::loss_named("binary_crossentropy",
                                             {.from_logits = true, .reduction = model::LossReduction::none});
  const Symbol labels = fill(*logits.trace, logits.spec(), label);
  return model::compute_average_loss(model::per_example_loss(loss, labels, logits), global_batch_size);
}

// The weights of both models are in one step, so their layers need names of their own.
model::LayerPtr two_layers(const std::string& name, std::int64_t inputs, std::int64_t outputs) {
  return model::sequential(name, {model::input_layer({inputs}),
                                  model::dense({.name = name + "_hidden", .units = 16, .activation = "relu"}),
                                  model::dense({.name = name + "_output", .units = outputs})});
}

struct Losses {
  float generator = 0, discriminator = 0;
};

Losses trained(const distribute::Strategy& strategy) {
  const auto scope = strategy.scope();
  const auto generator = two_layers("generator", noise_size, data_size);
  const auto discriminator = two_layers("discriminator", data_size, 1);
  model::Optimizer generator_optimizer = model::optimizer_named("adam");
  model::Optimizer discriminator_optimizer = model::optimizer_named("adam");
  generator_optimizer.name = "generator_adam";
  discriminator_optimizer.name = "discriminator_adam";

  train::State state(1);
  train::Function train_step = strategy.function(
      "train_step", state, train::Function::Mode::training, [&](Building& tape, const Symbols& inputs) {
        const Symbol generated = (*generator)(tape, inputs[1]);
        const Symbol real_logits = (*discriminator)(tape, inputs[0]);
        const Symbol fake_logits = (*discriminator)(tape, generated);

        const Symbol generator_loss = cross_entropy(fake_logits, 1);
        const Symbol discriminator_loss = cross_entropy(real_logits, 1) + cross_entropy(fake_logits, 0);
        const auto apply = [&](const model::Optimizer& optimizer, Symbol loss, const Symbols& variables) {
          model::apply_gradients(tape, optimizer, variables, tape.trace().gradient(loss, variables),
                                 model::learning_rate(tape, optimizer));
        };
        apply(generator_optimizer, generator_loss, model::trainable_of(tape, *generator));
        apply(discriminator_optimizer, discriminator_loss, model::trainable_of(tape, *discriminator));
        return Symbols{generator_loss, discriminator_loss};
      });

  Losses losses;
  timing::Simulated time;
  const auto dataset = strategy.experimental_distribute_dataset(points_and_noise().batch(global_batch_size));
  auto batches = dataset.iterate();
  while (const auto batch = batches.next()) {
    const train::PerReplica each = strategy.run(train_step, *batch);
    const auto sum = [&](std::size_t result) {
      return strategy.reduce(train::ReduceOp::sum, train::experimental_local_results(each, result));
    };
    const Tensor generator_loss = sum(0), discriminator_loss = sum(1);
    losses = {generator_loss.values<float>()[0], discriminator_loss.values<float>()[0]};
    if (time.step == Seconds{}) time = strategy.simulate(train_step, *batch);
  }
  fmt::print("{} x {}: generator loss {:.5f}, discriminator loss {:.5f}, a step takes {:.3f} ms\n",
             strategy.num_replicas_in_sync(), time.device, losses.generator, losses.discriminator,
             time.step.count() * 1e3);
  return time.step.count() > 0 ? losses : Losses{NAN, NAN};
}

int main() {
  const std::string platform = "workstation_2x4090";
  const Losses one = trained(distribute::mirrored({.platform = platform, .devices = {"GPU:0"}}));
  const Losses two = trained(distribute::mirrored({.platform = platform}));
  // Numbers that are not finite agree with none.
  const auto agree = [](float a, float b) { return std::abs(a - b) < 1e-4f; };
  return agree(one.generator, two.generator) && agree(one.discriminator, two.discriminator) ? 0 : 1;
}
