// Claim: if the memory has room for the largest of a training's plans only, the executions of the plans use
// it one after the other, and the results are bit for bit the same as with enough memory.

#include <gtest/gtest.h>

#include "device/cpu/workers.h"
#include "model/weights.h"
#include "model/zoo.h"
#include "support/scarce_queue.h"
#include "train/machine.h"

namespace wt::train {
namespace {

// The training has full batches, a short last batch and an evaluation: several plans that share one state.
struct Trained {
  std::map<std::string, Tensor> weights{};
  std::vector<double> losses{};
};

data::Dataset rows() {
  Tensor x = Tensor::zeros({Type::float32, {10, 8}}), y = Tensor::zeros({Type::int64, {10}});
  for (std::size_t i = 0; i < x.values<float>().size(); ++i) x.values<float>()[i] = static_cast<float>(i % 7);
  for (std::size_t i = 0; i < 10; ++i) y.values<std::int64_t>()[i] = static_cast<std::int64_t>(i % 2);
  return data::Dataset::from_tensor_slices({x, y});
}

Trained train_on(device::Queue& queue, Bytes* largest = nullptr) {
  Resources machine{
      [](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"/device:GPU:0"}); },
      queue};
  State state(1);
  Model model(model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), state,
              machine);
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                 .optimizer = model::optimizer_named("adam"),
                 .metrics = {{model::metric_named("accuracy")}}});
  Trained trained;
  FitOptions options{.epochs = 2};
  options.on_step = [&](const StepResult& step) { trained.losses.push_back(step.loss); };
  options.on_epoch = [&](const EpochResult& epoch) {
    trained.losses.push_back(epoch.loss);
    trained.losses.push_back(model.evaluate(rows().batch(4)).loss);
  };
  model.fit(rows().batch(4), options);
  trained.weights = model.weights();
  if (largest != nullptr)
    *largest = model
                   .training_plan(
                       {Tensor::shape_only({Type::float32, {4, 8}}), Tensor::shape_only({Type::int64, {4}})})
                   .devices[0]
                   .arena;
  return trained;
}

TEST(ScarceMemory, HoldsOneStepAtATimeAndTheNumbersDontSee) {
  device::Workers workers(1);
  device::CpuQueue plenty(workers);
  Bytes largest{};
  const Trained expected = train_on(plenty, &largest);

  test::ScarceMemory memory(largest);
  test::WarmingQueue scarce(workers, memory);
  const Trained trained = train_on(scarce);

  EXPECT_GE(memory.allocations(), 3);
  EXPECT_EQ(trained.losses, expected.losses);
  for (const auto& [name, tensor] : expected.weights)
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), trained.weights.at(name).bytes())) << name;
}

}  // namespace
}  // namespace wt::train
