// Claims: a scenario whose loop is predict runs its model forward alone, under every strategy of Keras: each number of
// replicas predicts the same, in the order of the rows and with partial last batches; nothing travels but inputs and
// outputs; memory is less than a training's; keys of a training have no effect and are listed; and strategies under which
// Keras doesn't predict with all replicas are refused before anything runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/scenario_runs.h"
#include "tensor/safetensors.h"

namespace wt {
namespace {

using test::has;
using test::number_at;

constexpr std::string_view scenario = R"({
  "name": "predict",
  "platform": {"virtual": {"devices": 1}},
  "strategy": "default",
  "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 100},
  "training": {"loop": "predict", "global_batch": 24},
  "seed": 3
})";

class Predict : public test::ScenarioRuns {
 protected:
  test::Said predict(const std::vector<std::string>& overrides, const std::string& out = "out") const {
    test::Said said = run_text(scenario, out, overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return said;
  }
  std::map<std::string, Tensor> predictions(const std::string& out = "out") const {
    return read_safetensors(base_ / out / "predictions.safetensors").tensors;
  }
  std::vector<float> predicted(const std::vector<std::string>& overrides) const {
    predict(overrides);
    const std::map<std::string, Tensor> found = predictions();
    EXPECT_EQ(found.size(), 1U);
    const auto numbers = found.begin()->second.values<float>();
    return {numbers.begin(), numbers.end()};
  }
};

std::string virtual_platform(int devices, int workers = 1) {
  return fmt::format(R"(platform={{"virtual": {{"devices": {}, "workers": {}}}}})", devices, workers);
}

TEST_F(Predict, G25_IsTheSameUnderEachStrategyWithAnyNumberOfReplicas) {
  const std::vector<float> alone = predicted({});
  ASSERT_EQ(alone.size(), 1000U);
  struct Case {
    std::string strategy{};
    std::string platform{};
  };
  std::vector<Case> cases{{"one_device", virtual_platform(1)},
                          {"tpu", R"(platform={"file": "tpu_v3", "set": {"slice": "v3-8"}})"}};
  for (const int devices : {1, 2, 3, 8}) {
    cases.push_back({"mirrored", virtual_platform(devices)});
    cases.push_back({"central_storage", virtual_platform(devices)});
  }
  for (const auto& [devices, workers] : {std::pair(1, 1), {2, 2}, {3, 3}, {8, 8}, {4, 2}, {6, 3}, {8, 2}})
    cases.push_back({"multi_worker_mirrored", virtual_platform(devices, workers)});
  for (const Case& each : cases) {
    const std::vector<float> found = predicted({"strategy=" + each.strategy, each.platform});
    ASSERT_EQ(found.size(), alone.size()) << each.strategy;
    for (std::size_t i = 0; i < alone.size(); ++i)
      ASSERT_NEAR(found[i], alone[i], 1e-6) << each.strategy << " " << each.platform << " at " << i;
  }
}

TEST_F(Predict, IsTheSameUnderBothVersionsOfKeras) {
  EXPECT_EQ(predicted({"semantics=keras2", "strategy=mirrored", virtual_platform(3)}),
            predicted({"semantics=keras3", "strategy=mirrored", virtual_platform(3)}));
}

TEST_F(Predict, TakesTheWeightsOfACheckpoint) {
  const test::Said trained = run_text(
      scenario, "trained",
      {"training.loop=fit", "training.loss=sparse_categorical_crossentropy", "training.optimizer=adam",
       "training.checkpointing={}", "training.save_weights=w.safetensors"});
  ASSERT_EQ(trained.exit, cli::Exit::done) << trained.messages;
  const std::string weights = (base_ / "trained/w.safetensors").string();
  const std::string checkpoints = (base_ / "trained/checkpoints").string();
  const std::vector<float> first = predicted({});
  const std::vector<float> restored = predicted({"training.checkpointing.restore=" + checkpoints});
  EXPECT_EQ(restored, predicted({fmt::format(R"(model={{"zoo": "mlp", "weights": "{}"}})", weights)}));
  EXPECT_NE(restored, first);
  EXPECT_FALSE(has(predict({"training.checkpointing.restore=" + checkpoints}).messages, "doesn't use"));
}

// The plan of a step has no other moves between devices than those of inputs and outputs.
TEST_F(Predict, MovesInputsAndOutputsAlone) {
  for (const auto& [strategy, platform] :
       {std::pair<std::string, std::string>{"mirrored", virtual_platform(8)},
        {"multi_worker_mirrored", virtual_platform(8, 4)},
        {"tpu", R"(platform={"file": "tpu_v3", "set": {"slice": "v3-8"}})"}}) {
    const test::Said said =
        run_text(scenario, "out", {"strategy=" + strategy, platform, "numerics=none"}, {"--plan"});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    std::istringstream lines(said.results);
    int inputs = 0, outputs = 0, others = 0;
    for (std::string line; std::getline(lines, line);) {
      if (has(line, "[input_copy]"))
        ++inputs;
      else if (has(line, "[output_copy]"))
        ++outputs;
      else if (has(line, " move ") || has(line, "collective") || has(line, "[gradient]"))
        ++others;
    }
    EXPECT_GT(inputs, 0) << strategy;
    EXPECT_EQ(inputs, outputs) << strategy;
    EXPECT_EQ(others, 0) << strategy;
  }
}

// Outputs take the time of their copy to the host: 100,000 numbers a row take longer than the row.
TEST_F(Predict, WaitsForTheCopiesOfItsOutputs) {
  const auto step = [&](int units) {
    predict(
        {"platform=workstation_2x4090", "strategy=mirrored", "numerics=none", "time.software=false",
         fmt::format(
             R"(model={{"layers": [{{"class_name": "InputLayer", "config": {{"batch_shape": [null, 1]}}}}, {{"class_name": "Dense", "config": {{"units": {}}}}}]}})",
             units)});
    return number_at(results("out"), {"simulated", "step_time_s"});
  };
  const double bytes = 12.0 * 4 * 900'000;  // of a replica, between the two models
  EXPECT_GT(step(1'000'000) - step(100'000), bytes / 32e9);
}

TEST_F(Predict, NeedsLessMemoryThanATraining) {
  const std::vector<std::string> training{"training.loss=sparse_categorical_crossentropy",
                                          "training.optimizer=adam", "numerics=none", "strategy=mirrored",
                                          virtual_platform(2)};
  const auto memory = [&](const std::string& loop) {
    std::vector<std::string> overrides = training;
    overrides.push_back("training.loop=" + loop);
    predict(overrides);
    return number_at(results("out").find("planned")->find("memory")->elements()[0], {"arena_bytes"});
  };
  EXPECT_LT(2 * memory("predict"), memory("fit"));
}

TEST_F(Predict, HasTheSameTimeWithNumbersAndWithout) {
  const std::vector<std::string> overrides{"strategy=mirrored", virtual_platform(3)};
  predict(overrides);
  const json::Value with = results("out");
  predict({overrides[0], overrides[1], "numerics=none"});
  const json::Value without = results("out");
  for (const char* key : {"step_time_s", "samples_per_second"})
    EXPECT_EQ(number_at(with, {"simulated", key}), number_at(without, {"simulated", key}));
  EXPECT_TRUE(with.find("inference") != nullptr && without.find("inference") != nullptr);
  EXPECT_EQ(with.find("steps")->elements().size(), 5U);
  EXPECT_EQ(with.find("steps")->elements()[4].find("rows")->integer(), 4);
  EXPECT_EQ(with.find("steps")->elements()[4].find("loss"), nullptr);
  EXPECT_EQ(without.find("predictions"), nullptr);
}

TEST_F(Predict, ListsTheKeysOfATrainingThatHaveNoEffect) {
  const test::Said said =
      predict({"training.loss=mse", "training.optimizer=sgd", "training.epochs=3", "training.evaluation={}",
               R"(dataset.shuffle={})", "training.save_weights=w.safetensors"});
  EXPECT_TRUE(
      has(said.messages,
          R"(predict has no use for "shuffle", "loss", "optimizer", "epochs", "evaluation", "save_weights")"))
      << said.messages;
  EXPECT_FALSE(std::filesystem::exists(base_ / "out/w.safetensors"));
  EXPECT_EQ(predicted({"dataset.shuffle={}", "training.epochs=3"}), predicted({}));
}

TEST_F(Predict, EndsAfterTheStepsThatAreGiven) {
  std::vector<float> all = predicted({});
  all.resize(48 * 10);
  EXPECT_EQ(predicted({"training.steps=2"}), all);
  EXPECT_EQ(predicted({"training.steps=2", "dataset.repeat=-1"}), all);
}

TEST_F(Predict, ReadsRowsWithoutLabels) {
  base_.write("rows.csv", "a,b\n1,2\n3,4\n5,6\n");
  const std::string model =
      R"(model={"layers": [{"class_name": "InputLayer", "config": {"batch_shape": [null, 2]}}, {"class_name": "Dense", "config": {"units": 1, "kernel_initializer": "ones"}}]})";
  const auto dataset = [&](const std::string& type, const std::string& file) {
    return fmt::format(R"(dataset={{"type": "{}", "file": "{}"}})", type, (base_ / file).string());
  };
  const std::string csv = dataset("csv", "rows.csv");
  EXPECT_EQ(predicted({model, csv}), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(predicted({model, csv, "strategy=mirrored", virtual_platform(2)}),
            (std::vector<float>{3, 7, 11}));
  write_safetensors(base_ / "rows.safetensors",
                    {.tensors = {{"x", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}}});
  EXPECT_EQ(predicted({model, dataset("safetensors", "rows.safetensors")}), (std::vector<float>{3, 7, 11}));
  const test::Said said = run_text(
      scenario, "out", {model, csv, "training.loop=fit", "training.loss=mse", "training.optimizer=sgd"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, R"(this object has no "y")")) << said.messages;
}

TEST_F(Predict, RefusesStrategiesWhoseWorkersTakeNoPart) {
  struct Case {
    std::vector<std::string> overrides{};
    std::string text{};
  };
  const std::string cluster = R"(cluster={"chief": 1, "worker": 2, "ps": 1})";
  const std::string platform = R"(platform={"file": "dgx_a100", "set": {"machines": 4}})";
  const std::vector<Case> cases{
      {{R"(strategy={"type": "parameter_server"})", "semantics=keras3"},
       "predict of keras3 refuses parameter servers: \""},
      {{R"(strategy={"type": "parameter_server"})", "semantics=keras2"},
       "Keras predicts on the coordinator alone"},
      {{R"(strategy={"type": "parameter_server_v1"})", "semantics=keras2"}, "which is made for Estimator"}};
  for (const Case& each : cases) {
    std::vector<std::string> words{"validate", base_.write("s.json", std::string(scenario)).string(),
                                   "--set",    cluster,
                                   "--set",    platform};
    for (const std::string& text : each.overrides) words.insert(words.end(), {"--set", text});
    const test::Said said = test::call(words);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << each.text;
    EXPECT_TRUE(has(said.messages, each.text)) << said.messages;
  }
}

TEST_F(Predict, IsAnsweredByEachQuestionOfAPlanner) {
  const std::string file = base_.write("s.json", std::string(scenario)).string();
  const std::vector<std::string> many{"--set", "strategy=mirrored", "--set", "platform=dgx_a100",
                                      "--set", "numerics=none"};
  for (std::vector<std::string> words : {std::vector<std::string>{"run", file, "--replicas", "1,2,3,8"},
                                         {"explain", file},
                                         {"validate", file, "--memory"},
                                         {"validate", file, "--placement"}}) {
    words.insert(words.end(), many.begin(), many.end());
    const test::Said said = test::call(words);
    EXPECT_EQ(said.exit, cli::Exit::done) << words[0] << said.messages;
    EXPECT_FALSE(has(said.results, "gradients")) << said.results;
  }
}

}  // namespace
}  // namespace wt
