// Claim: if the host's copies have a queue of their own, the rows of a step are read and copied while the
// previous step computes, and the results are bit for bit the same as without this queue.

#include <gtest/gtest.h>

#include "device/cpu/workers.h"
#include "model/zoo.h"
#include "support/threaded_queue.h"
#include "train/machine.h"

namespace wt::train {
namespace {

data::Dataset rows() {
  Tensor x = Tensor::zeros({Type::float32, {10, 8}}), y = Tensor::zeros({Type::int64, {10}});
  for (std::size_t i = 0; i < x.values<float>().size(); ++i) x.values<float>()[i] = static_cast<float>(i % 7);
  for (std::size_t i = 0; i < 10; ++i) y.values<std::int64_t>()[i] = static_cast<std::int64_t>(i % 2);
  return data::Dataset::from_tensor_slices({x, y});
}

struct Trained {
  std::vector<double> losses{};
  std::string events{};  // r for a row that is read, s for a step that has finished
  std::map<std::string, Tensor> weights{};
};

// Trains on 10 rows in batches of 4, so that the last batch is short. The evaluations in between take over
// the memory, which discards inputs that were copied ahead.
Trained train_on(const execute::Queues& queues, FitOptions options, std::int64_t replicas = 1) {
  Resources machine{test::mirrored(replicas), queues, {.replicas = replicas}};
  State state(1);
  Model model(model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), state,
              machine);
  model.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                 .optimizer = model::optimizer_named("adam"),
                 .metrics = {{model::metric_named("accuracy")}}});
  Trained trained;
  const data::Dataset recorded = rows().map([&](const data::Element& row) {
    trained.events += 'r';
    return row;
  });
  options.on_step = [&](const StepResult& step) {
    trained.events += 's';
    trained.losses.push_back(step.loss);
    if (step.step % 2 == 0) trained.losses.push_back(model.evaluate(rows().batch(4)).loss);
  };
  model.fit(recorded.batch(4), options);
  trained.weights = model.weights();
  return trained;
}

class InputAhead : public testing::Test {
 protected:
  device::Workers workers_{1};
  device::CpuQueue one_{workers_};
  test::ThreadedQueue compute_, copies_;
  execute::Queues beside_{{{&compute_, &compute_, &copies_}},
                          [](const plan::Device&) { return std::size_t{0}; }};

  void expect_same(const FitOptions& options, std::int64_t replicas = 1) {
    const Trained expected = train_on(one_, options, replicas), ahead = train_on(beside_, options, replicas);
    EXPECT_EQ(ahead.losses, expected.losses);
    for (const auto& [name, tensor] : expected.weights)
      EXPECT_TRUE(std::ranges::equal(tensor.bytes(), ahead.weights.at(name).bytes())) << name;
  }
};

TEST_F(InputAhead, CantBeSeenInTheNumbers) {
  expect_same({.epochs = 3});
  expect_same({.epochs = 3, .steps = 5});
  expect_same({.epochs = 3}, 2);
}

// With steps_per_epoch the dataset continues where the previous epoch ended. A row that was read too early
// would be lost.
TEST_F(InputAhead, ReadsNoFurtherThanAnEpochGoes) { expect_same({.epochs = 3, .steps_per_epoch = 1}); }

TEST_F(InputAhead, IsReadBeforeTheStepIsDoneAndOnlyThere) {
  EXPECT_EQ(train_on(one_, {.epochs = 1}).events, "rrrrsrrrrsrrs");
  EXPECT_EQ(train_on(beside_, {.epochs = 1}).events, "rrrrrrrrsrrss");
}

}  // namespace
}  // namespace wt::train
