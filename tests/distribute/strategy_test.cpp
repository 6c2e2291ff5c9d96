// Claims: a strategy is an object that computes a step's numbers and says how long it takes: under every strategy and
// any number of replicas a step of a custom loop leaves the weights that one device has after the whole batch, its
// time is that of the scenario with the same machine and strategy, and what TensorFlow's constructors refuse is
// refused.

#include "distribute/strategy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/error.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/zoo.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt::distribute {
namespace {

using model::Building;
using Symbols = std::vector<Symbol>;

// A step of gradient descent on the mean squared error of the global batch.
train::Function::Body descent(const model::Layer& layer, std::int64_t global_batch) {
  return [&layer, global_batch](Building& building, const Symbols& batch) {
    const model::Loss mse = model::loss_named("mse", {.reduction = model::LossReduction::none});
    const Symbol predictions = layer(building, batch[0]);
    const Symbol loss =
        model::compute_average_loss(model::per_example_loss(mse, batch[1], predictions), global_batch);
    const model::Optimizer sgd = model::optimizer_named("sgd");
    const Symbols variables = building.trainable();
    const Symbols gradients = building.trace().gradient(loss, variables);
    model::apply_gradients(building, sgd, variables, gradients,
                           fill(building.trace(), {Type::float32, {}}, 0.1));
    return Symbols{loss};
  };
}

train::PerReplica pieces(std::int64_t replicas, std::int64_t rows_each) {
  train::PerReplica arguments;
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    std::vector<float> x, y;
    for (std::int64_t i = 0; i < rows_each; ++i) {
      x.push_back(0.1f * static_cast<float>(replica * rows_each + i));
      y.push_back(2 * x.back() + 1);
    }
    arguments.push_back({Tensor::of<float>({rows_each, 1}, x), Tensor::of<float>({rows_each, 1}, y)});
  }
  return arguments;
}

std::string gpus(int count) {
  return fmt::format(R"({{"file": "dgx_a100", "set": {{"devices": {}}}}})", count);
}

// The weights after a step of 24 rows, and the mean of the replicas' losses.
struct Trained {
  std::vector<float> weights{};
  float loss = 0;
};

Trained trained(const Strategy& strategy) {
  const std::int64_t replicas = strategy.num_replicas_in_sync();
  const auto scope = strategy.scope();
  const auto layer = model::zoo_model("linear").build();
  train::State state(1);
  train::Function step =
      strategy.function("step", state, train::Function::Mode::training, descent(*layer, 24));
  const train::PerReplica losses = strategy.run(step, pieces(replicas, 24 / replicas));
  Trained made;
  const Tensor loss = strategy.reduce(train::ReduceOp::sum, train::experimental_local_results(losses));
  made.loss = loss.values<float>()[0];
  for (const model::Weight& weight : state.weights()) {
    const Tensor value = state.read(weight.name);
    if (value.type() != Type::float32) continue;  // the optimizer's count of steps
    const auto numbers = value.values<float>();
    made.weights.insert(made.weights.end(), numbers.begin(), numbers.end());
  }
  return made;
}

struct Case {
  std::string name{};
  std::int64_t replicas = 1;
  Strategy (*make)(int replicas) = nullptr;
  std::string platform = gpus(static_cast<int>(replicas));  // of the scenario with the same strategy
  std::string strategy = fmt::format(R"({{"type": "{}"}})", name);
};

std::string machines(int count) {
  return fmt::format(R"({{"file": "dgx_a100", "set": {{"machines": {}, "devices": 1}}}})", count);
}

const std::string v3_8 = R"({"file": "tpu_v3", "set": {"slice": "v3-8"}})";

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> made{{"default", 1, [](int) { return default_strategy(gpus(1)); }},
                           {"one_device", 1,
                            [](int) {
                              return one_device({gpus(4), "GPU:3"});
                            },
                            gpus(4), R"({"type": "one_device", "device": "GPU:3"})"},
                           {"tpu", 8, [](int) { return tpu({.platform = v3_8}); }, v3_8}};
    for (const int count : {1, 2, 3, 8}) {
      made.push_back({"mirrored", count, [](int n) { return mirrored({.platform = gpus(n)}); }});
      made.push_back(
          {"central_storage", count, [](int n) { return central_storage({.platform = gpus(n)}); }});
      made.push_back(
          {"multi_worker_mirrored", count,
           [](int n) { return multi_worker_mirrored({.platform = machines(n), .communication = "nccl"}); },
           machines(count),
           R"({"type": "multi_worker_mirrored", "communication_options": {"implementation": "nccl"}})"});
    }
    return made;
  }();
  return all;
}

TEST(Strategies, LeaveTheWeightsOfOneDevice) {
  const Trained alone = trained(default_strategy("dgx_a100"));
  ASSERT_EQ(alone.weights.size(), 2u);
  for (const Case& each : cases()) {
    const Strategy strategy = each.make(static_cast<int>(each.replicas));
    ASSERT_EQ(strategy.num_replicas_in_sync(), each.replicas) << each.name;
    const Trained made = trained(strategy);
    ASSERT_EQ(made.weights.size(), alone.weights.size()) << each.name;
    for (std::size_t i = 0; i < alone.weights.size(); ++i)
      EXPECT_NEAR(made.weights[i], alone.weights[i], 1e-5) << each.name << " " << each.replicas;
    EXPECT_NEAR(made.loss, alone.loss, 1e-5 * alone.loss) << each.name << " " << each.replicas;
  }
}

timing::Simulated of_scenario(const Case& each) {
  const scenario::Scenario scenario =
      scenario::parse(fmt::format(R"({{"name": "the same", "platform": {}, "strategy": {}, "model": "linear",
                       "dataset": {{"type": "synthetic", "rows": 4800, "repeat": -1}},
                       "training": {{"loop": "fit", "loss": "mse", "optimizer": "sgd", "steps": 1,
                                     "global_batch": 24}},
                       "numerics": "none"}})",
                                  each.platform, each.strategy),
                      "strategy_test.json");
  session::Training training(scenario, scenario::build(scenario), {});
  return training.clock().step().summary;
}

TEST(Strategies, TakeTheTimeOfTheSameStrategyInAScenario) {
  for (const Case& each : cases()) {
    const Strategy strategy = each.make(static_cast<int>(each.replicas));
    train::State state(1);
    train::Model model(model::zoo_model("linear").build(), state, strategy.resources());
    model.compile({.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("sgd")});
    const timing::Simulated time = strategy.simulate(
        model, {Tensor::shape_only({Type::float32, {24, 1}}), Tensor::shape_only({Type::float32, {24, 1}})});
    const timing::Simulated same = of_scenario(each);
    EXPECT_NEAR(time.step / same.step, 1, 1e-9) << each.name << " " << each.replicas;
    EXPECT_EQ(time.samples_per_second, 24 / time.step.count()) << each.name;
    EXPECT_EQ(time.communication, same.communication) << each.name << " " << each.replicas;
  }
}

// Fit reads each loss on the host, which a loop of one's own need not do.
TEST(Strategies, TakeLessInALoopOfOnesOwn) {
  for (const Case& each : cases()) {
    const Strategy strategy = each.make(static_cast<int>(each.replicas));
    const auto layer = model::zoo_model("linear").build();
    train::State state(1);
    train::Function step =
        strategy.function("step", state, train::Function::Mode::training, descent(*layer, 24));
    const timing::Simulated time = strategy.simulate(step, pieces(each.replicas, 24 / each.replicas));
    EXPECT_GT(time.step, Seconds(0)) << each.name;
    EXPECT_LT(time.step, of_scenario(each).step) << each.name << " " << each.replicas;
  }
}

TEST(Strategies, RefuseWhatIsNotThere) {
  const auto refusal = [](const auto& make) {
    try {
      make();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal([] { mirrored({.platform = "dgx_a101"}); }).find("unknown platform \"dgx_a101\""),
            std::string::npos);
  EXPECT_NE(refusal([] { mirrored({.platform = "dgx_a100", .devices = {"GPU:9"}}); }).find("GPU:9"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              mirrored({.platform = "dgx_a100", .cross_device_ops = "ncl"});
            }).find("did you mean \"nccl\""),
            std::string::npos);
  // The text from which the strategy is made is not the user's.
  EXPECT_EQ(refusal([] { mirrored({.platform = "dgx_a101"}); }).find("the program:"), std::string::npos);
}

TEST(Strategies, SayThatAStepDoesNotFit) {
  const Strategy strategy = mirrored({.platform = gpus(2)});
  const auto layer = model::zoo_model("resnet50").build();
  train::State state(1);
  train::Function step = strategy.function(
      "step", state, train::Function::Mode::training, [&](Building& building, const Symbols& batch) {
        const Symbol predictions = (*layer)(building, batch[0]);
        const Symbols variables = building.trainable();
        const Symbol loss = reduce_mean(predictions);
        model::apply_gradients(building, model::optimizer_named("sgd"), variables,
                               building.trace().gradient(loss, variables),
                               fill(building.trace(), {Type::float32, {}}, 0.1));
        return Symbols{loss};
      });
  const auto images = [](std::int64_t rows) {
    const Tensor shapes = Tensor::shape_only({Type::float32, {rows, 224, 224, 3}});
    return train::PerReplica{{shapes}, {shapes}};
  };
  EXPECT_GT(strategy.simulate(step, images(32)).step, Seconds(0.01));
  EXPECT_THROW(strategy.simulate(step, images(4096)), device::ResourceExhaustedError);
}

}  // namespace
}  // namespace wt::distribute
