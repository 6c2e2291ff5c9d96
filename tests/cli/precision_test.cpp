// Claims: under a mixed policy activations take half the memory, while variables, slots and what goes over the wire stay
// float32; any number of replicas trains what one does; a step with gradients that are not finite is skipped; steps get
// faster on a GPU with matrix units; gradients can be compressed on the wire, which carries less.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::number_at;

constexpr std::string_view scenario = R"({
  "name": "precision",
  "platform": "aws_p3_16xlarge",
  "strategy": {"type": "mirrored"},
  "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 48},
  "training": {"loop": "fit", "loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "global_batch": 24,
               "epochs": 4},
  "seed": 5
})";

std::string visible(int devices) {
  std::string list;
  for (int i = 0; i < devices; ++i) list += fmt::format("{}\"GPU:{}\"", i == 0 ? "" : ", ", i);
  return fmt::format("devices={{\"visible\": [{}]}}", list);
}

class MixedPrecision : public test::ScenarioRuns {
 protected:
  json::Value trained(const std::vector<std::string>& overrides) const {
    const test::Said said = run_text(scenario, "out", overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results("out");
  }
  static std::vector<double> losses(const json::Value& results) {
    std::vector<double> all;
    for (const json::Value& step : results.find("steps")->elements())
      all.push_back(number_at(step, {"loss"}));
    return all;
  }
  static double bytes(const json::Value& results, const std::string& kind) {
    return number_at(results.find("planned")->find("memory")->elements()[0], {"bytes_at_peak", kind});
  }
  // By NVLink, without the rows that the host sends.
  static double bytes_between_gpus(const json::Value& results) {
    double sum = 0;
    for (const json::Value& link : results.find("simulated")->find("links")->elements())
      if (has(link.find("name")->string(), "gpu") && !has(link.find("name")->string(), "socket") &&
          !has(link.find("name")->string(), "switch"))
        sum += number_at(link, {"carried_bytes"});
    return sum;
  }
};

TEST_F(MixedPrecision, HalvesActivationsAndNothingElse) {
  for (const std::string model : {"fashion_cnn", "resnet50", "transformer"}) {
    SCOPED_TRACE(model);
    const std::vector<std::string> shapes{"model=" + model, "numerics=none", "training.optimizer=adam",
                                          "dataset.rows=512", "training.global_batch=256"};
    std::vector<std::string> mixed = shapes;
    mixed.push_back("training.precision=mixed_bfloat16");
    const json::Value wide = trained(shapes), half = trained(mixed);
    EXPECT_EQ(bytes(half, "variable"), bytes(wide, "variable"));
    EXPECT_EQ(bytes(half, "optimizer_slot"), bytes(wide, "optimizer_slot"));
    EXPECT_LT(bytes(half, "activation"), 0.7 * bytes(wide, "activation"));
    EXPECT_GT(bytes(half, "activation"), 0.4 * bytes(wide, "activation"));
    EXPECT_GT(bytes_between_gpus(wide), 0);
    EXPECT_EQ(bytes_between_gpus(half), bytes_between_gpus(wide));
  }
}

TEST_F(MixedPrecision, TrainsOnAnyNumberOfReplicasWhatOneTrains) {
  for (const std::string policy : {"mixed_float16", "mixed_bfloat16"}) {
    const std::string precision = "training.precision=" + policy;
    const std::vector<double> alone = losses(trained({precision, visible(1), "strategy.type=default"}));
    const std::vector<double> wide = losses(trained({visible(1), "strategy.type=default"}));
    const double unit = policy == "mixed_float16" ? 0x1p-10 : 0x1p-7;
    EXPECT_NE(alone, wide) << policy;
    for (std::size_t step = 0; step < alone.size(); ++step)
      EXPECT_NEAR(alone[step], wide[step], 4 * unit * wide[step]);
    for (const int devices : {1, 2, 3, 8}) {
      SCOPED_TRACE(fmt::format("{} on {}", policy, devices));
      const std::vector<double> several = losses(trained({precision, visible(devices)}));
      ASSERT_EQ(several.size(), alone.size());
      for (std::size_t step = 0; step < alone.size(); ++step)
        EXPECT_NEAR(several[step], alone[step], 4 * unit * alone[step]);
    }
  }
}

// Each step has the same rows, so the loss changes with the weights alone. Steps with infinite gradients halve the scale.
TEST_F(MixedPrecision, SkipsAStepWhoseGradientsAreNotFinite) {
  for (const int devices : {1, 3}) {
    const std::vector<double> all = losses(trained(
        {"training.precision=mixed_float16", visible(devices), "dataset.rows=24", "training.epochs=24",
         R"(training.optimizer={"class_name": "LossScaleOptimizer", "config": {"initial_scale": 67108864,
            "inner_optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.01}}}})"}));
    EXPECT_EQ(all[1], all[0]);
    EXPECT_EQ(all[2], all[0]);
    EXPECT_LT(all.back(), all.front());
  }
}

TEST_F(MixedPrecision, MakesStepsFasterWhereMatrixUnitsTakeHalves) {
  const std::vector<std::string> base{"model=resnet50", "numerics=none", "training.global_batch=512"};
  std::vector<std::string> mixed = base;
  mixed.push_back("training.precision=mixed_float16");
  const double wide = number_at(trained(base), {"simulated", "step_time_s"});
  const json::Value half = trained(mixed);
  EXPECT_LT(number_at(half, {"simulated", "step_time_s"}), wide / 1.5);
  EXPECT_EQ(half.find("simulated")->find("precision")->string(), "float16");
}

TEST_F(MixedPrecision, CompressedGradientsTakeLessOfTheWire) {
  const json::Value wide = trained({"training.precision=float32"});
  for (const std::string type : {"float16", "bfloat16"}) {
    const json::Value half = trained({"training.gradient_compression=" + type});
    // Not exactly a half: NCCL may choose another algorithm for fewer bytes.
    EXPECT_LT(bytes_between_gpus(half), 0.7 * bytes_between_gpus(wide));
    const std::vector<double> ours = losses(half), exact = losses(wide);
    EXPECT_NE(ours, exact);
    for (std::size_t step = 0; step < ours.size(); ++step)
      EXPECT_NEAR(ours[step], exact[step], 0.02 * exact[step]);
  }
}

TEST_F(MixedPrecision, RefusesWhatHasNoMeaning) {
  constexpr const char* own_policy =
      R"(model={"layers": [{"class_name": "InputLayer", "config": {"batch_shape": [null, 784]}},
         {"class_name": "Dense", "config": {"units": 10, "dtype": "mixed_float16"}}]})";
  const test::Said twice = run_text(scenario, "out", {own_policy, "training.precision=mixed_bfloat16"});
  EXPECT_EQ(twice.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(twice.messages, "the model's file names the mixed policies of its layers"))
      << twice.messages;

  const test::Said pure =
      run_text(scenario, "out",
               {R"(model={"layers": [{"class_name": "InputLayer", "config": {"batch_shape": [null, 784]}},
         {"class_name": "Dense", "config": {"units": 10, "dtype": "float16"}}]})"});
  EXPECT_EQ(pure.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(pure.messages, "\"float16\" is not offered")) << pure.messages;

  const test::Said servers =
      run_text(scenario, "out",
               {R"(strategy={"type": "parameter_server"})", R"(cluster={"worker": 1, "ps": 1, "chief": 1})",
                R"(platform={"file": "gce_n1_k80", "set": {"machines": 3}})", "training.loop=custom",
                "training.gradient_compression=float16"});
  EXPECT_EQ(servers.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(servers.messages, "workers of this strategy don't sum their gradients"))
      << servers.messages;
}

// Replicas see rows of their own and sum float32 gradients, so that only rounding in halves tells strategies apart.
TEST_F(MixedPrecision, TrainsUnderEveryStrategyAsOnOneDevice) {
  const std::string half = "training.precision=mixed_bfloat16";
  const std::vector<double> alone = losses(trained({half, visible(1)}));
  const std::vector<std::vector<std::string>> strategies{
      {visible(2)},
      {visible(3)},
      {"strategy=central_storage", visible(2)},
      {"strategy=multi_worker_mirrored", R"(platform={"virtual": {"devices": 3, "workers": 3}})",
       R"(cluster={"worker": 3})"},
      {"strategy=tpu", "platform=tpu_v3"},
      {"strategy=parameter_server_v1", R"(cluster={"worker": 2, "ps": 1})",
       R"(platform={"file": "gce_n1_k80", "set": {"machines": 3}})", "training.loop=custom"}};
  for (std::vector<std::string> overrides : strategies) {
    SCOPED_TRACE(overrides.front());
    overrides.push_back(half);
    const std::vector<double> found = losses(trained(overrides));
    ASSERT_GE(found.size(), alone.size());
    EXPECT_NEAR(found.front() / alone.front(), 1, 1.0 / 256);
    EXPECT_LT(found.back(), found.front());
  }
}

// A program with its own loop wraps its optimizer itself.
TEST_F(MixedPrecision, SaysThatACustomLoopDoesNotScaleItsLoss) {
  const test::Said said =
      run_text(scenario, "out", {"training.loop=custom", "training.precision=mixed_float16"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages, "layers compute in float16, and the loss is not scaled")) << said.messages;
}

// Keras 3 asks the first replica alone whether its gradients are finite; Keras 2 sums them before.
TEST_F(MixedPrecision, SaysWhereAnOverflowOfAnotherReplicaIsNotSeen) {
  const auto is_noted = [&](const std::vector<std::string>& overrides) {
    const test::Said said = run_text(scenario, "out", overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return has(said.messages, "the loss scale follows the gradients of the first replica alone");
  };
  const std::string half = "training.precision=mixed_float16";
  EXPECT_TRUE(is_noted({half}));
  EXPECT_FALSE(is_noted({half, "semantics=keras2"}));
  EXPECT_FALSE(is_noted({half, visible(1)}));
  EXPECT_FALSE(is_noted({"training.precision=mixed_bfloat16"}));
}

}  // namespace
}  // namespace wt
