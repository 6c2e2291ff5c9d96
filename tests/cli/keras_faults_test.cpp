// Claims: with "semantics": "keras3" a run ends where TensorFlow with Keras 3 does, with TensorFlow's sentence, and `validate`
// says so before; "faithful": false, Keras 2, and what the remedy names train on. Recordings of `training` have the sentences
// (tests/recordings/further_training.py).

#include <gtest/gtest.h>

#include <cmath>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::number_at;
using test::Said;

constexpr int many[] = {1, 2, 3, 8};

// Replicas on the devices of one machine, unless the platform says otherwise. 24 rows of 4 numbers.
std::string scenario(int replicas, const std::string& training, const std::string& type = "mirrored",
                     const std::string& workers = "") {
  return fmt::format(R"({{
    "name": "faults of Keras",
    "platform": {{"virtual": {{"devices": {}{}}}}},
    "strategy": {{"type": "{}"}},
    "model": {{"layers": [
      {{"class_name": "InputLayer", "config": {{"batch_shape": [null, 4]}}}},
      {{"class_name": "Dense", "config": {{"units": 3, "activation": "relu"}}}},
      {{"class_name": "Dense", "config": {{"units": 1}}}}]}},
    "dataset": {{"type": "synthetic", "rows": 24}},
    "training": {{"loss": "mse", "epochs": 2, {}}},
    "semantics": "keras3",
    "seed": 1
  }})",
                     replicas, workers, type, training);
}
std::string fit(int batch, const std::string& more = "") {
  return fmt::format(R"("loop": "fit", "optimizer": "adam", "global_batch": {}{})", batch, more);
}
std::string loop(const std::string& optimizer, int batch, const std::string& more = "") {
  return fmt::format(R"("loop": "custom", "optimizer": {}, "global_batch": {}{})", optimizer, batch, more);
}

class KerasFaults : public test::ScenarioRuns {
 protected:
  // `run` and `validate` end with this sentence, and the other two ways to run it don't end.
  void expect_end(const std::string& text, const std::string& sentence) {
    expect_job_failed(text, sentence, {});
    expect_job_failed(text, sentence, {"numerics=none"});
    for (const char* other : {"faithful=false", "semantics=keras2"}) expect_done(text, {other});
  }

  void expect_job_failed(const std::string& text, const std::string& sentence,
                         const std::vector<std::string>& overrides) {
    const Said ran = run_text(text, "out", overrides);
    EXPECT_EQ(ran.exit, cli::Exit::job_failed) << text << ran.messages;
    EXPECT_TRUE(has(ran.messages, sentence)) << ran.messages;
    const json::Value found = results("out");
    EXPECT_EQ(found.find("outcome")->string(), "tensorflow_error");
    EXPECT_TRUE(has(found.find("message")->string(), sentence));
    const Said told = validated(text, overrides);
    EXPECT_EQ(told.exit, cli::Exit::job_failed) << told.messages;
    EXPECT_TRUE(has(told.messages, "warning: ") && has(told.messages, sentence)) << told.messages;
  }

  void expect_done(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const Said ran = run_text(text, "out", overrides);
    EXPECT_EQ(ran.exit, cli::Exit::done) << text << ran.messages;
    EXPECT_EQ(validated(text, overrides).exit, cli::Exit::done);
  }

  Said validated(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::vector<std::string> words{"validate", base_.write("told.json", text).string()};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    return call(words);
  }

  // The numbers of results.json's steps, or epochs.
  std::vector<double> losses(const char* of) const {
    const json::Value found = results("out");
    std::vector<double> numbers;
    for (const json::Value& each : found.find(of)->elements()) numbers.push_back(each.find("loss")->real());
    return numbers;
  }
};

// ---- (a) fit

TEST_F(KerasFaults, AFirstBatchThatDoesNotDivideEvenlyEndsFit) {
  for (const int replicas : many) {
    const int batch = 2 * replicas;
    expect_done(scenario(replicas, fit(batch)));
    const std::string uneven = scenario(replicas, fit(batch + 1));
    if (replicas == 1)
      expect_done(uneven);
    else
      expect_end(uneven,
                 "InvalidArgumentError: Inputs to operation AddN of type AddN must have the same size and "
                 "shape.  Input 0: [3,4] != input");
  }
}

TEST_F(KerasFaults, AShortLastBatchDoesNot) {
  for (const int replicas : many) expect_done(scenario(replicas, fit(5 * replicas)));
}

TEST_F(KerasFaults, AFirstBatchOfAnEvaluationEndsTheTrainingThere) {
  const std::string text =
      scenario(2, fit(8, R"(, "evaluation": {"dataset": {"type": "synthetic", "rows": 7}, "every": 1})"));
  const Said ran = run_text(text, "out");
  EXPECT_EQ(ran.exit, cli::Exit::job_failed) << ran.messages;
  EXPECT_TRUE(has(ran.messages, "Input 0: [4,4] != input 1: [3,4]")) << ran.messages;
  EXPECT_EQ(losses("steps").size(), 3u);  // one epoch
  expect_done(text, {"faithful=false"});
}

TEST_F(KerasFaults, SeveralStepsPerExecutionEndFit) {
  for (const int replicas : {2, 3, 8})
    expect_end(scenario(replicas, fit(2 * replicas, R"(, "steps_per_execution": 3)")),
               "InvalidArgumentError: You must feed a value for placeholder tensor 'while/body");
  expect_done(scenario(1, fit(8, R"(, "steps_per_execution": 3)")));
  expect_done(scenario(2, fit(8, R"(, "steps_per_execution": 3)"), "central_storage"));
}

// Recorded: keras3/workers/workers_fit_2_data.
TEST_F(KerasFaults, FitOfSeveralWorkersEndsBeforeItsFirstStep) {
  const std::string two = R"(, "workers": 2)";
  for (const int replicas : {2, 4, 8})
    expect_end(scenario(replicas, fit(8), "multi_worker_mirrored", two),
               "ValueError: Attempt to convert a value (PerReplica:{");
  expect_done(scenario(4, loop(R"("sgd")", 8), "multi_worker_mirrored", two));
}

// ---- (b) A loop of one's own

TEST_F(KerasFaults, AnOptimizerThatWasNotBuiltEndsALoop) {
  for (const int replicas : many) {
    const std::string text = scenario(replicas, loop(R"("adam")", 8 * replicas));
    if (replicas == 1)
      expect_done(text);
    else
      expect_end(text,
                 "InvalidArgumentError: You must feed a value for placeholder tensor "
                 "'cond/else/_1/cond/Placeholder' with dtype int32");
    expect_done(scenario(replicas, loop(R"("adam")", 8 * replicas, R"(, "build_optimizer": true)")));
    expect_done(scenario(replicas, loop(R"("sgd")", 8 * replicas)));  // which has no slots
    expect_done(scenario(replicas, loop(R"("adam")", 8 * replicas, R"(, "run_eagerly": true)")));
  }
  expect_done(scenario(2, loop(R"("adam")", 8), "central_storage"));
}

TEST_F(KerasFaults, FitBuildsItsOptimizer) {
  const Said said = validated(scenario(2, fit(8, R"(, "build_optimizer": true)")));
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "fit builds the optimizer itself")) << said.messages;
}

TEST_F(KerasFaults, ThatKerasChecksNoScopesIsSaidOfLoops) {
  const std::string text = scenario(2, loop(R"("sgd")", 8));
  EXPECT_TRUE(has(validated(text).messages, "Keras 3 doesn't check scopes"));
  EXPECT_FALSE(has(validated(text, {"semantics=keras2"}).messages, "scope"));
}

// ---- (c) Dropout

std::string with_dropout(int replicas, const std::string& type = "mirrored") {
  std::string text = scenario(replicas, fit(8 * replicas), type);
  const std::string last = R"({"class_name": "Dense", "config": {"units": 1}})";
  return text.insert(text.find(last), R"({"class_name": "Dropout", "config": {"rate": 0.5}}, )");
}

TEST_F(KerasFaults, AllReplicasDrawTheSameMasks) {
  for (const int replicas : {2, 3, 8}) {
    const std::string text = with_dropout(replicas);
    EXPECT_TRUE(has(validated(text).messages, "all replicas draw the same numbers"));
    EXPECT_FALSE(has(validated(text, {"semantics=keras2"}).messages, "draw"));
    expect_done(text);
    const std::vector<double> same = losses("steps");
    expect_done(text, {"faithful=false"});
    EXPECT_NE(losses("steps"), same);
  }
  expect_done(with_dropout(1));
  const std::vector<double> one = losses("steps");
  expect_done(with_dropout(1), {"faithful=false"});
  EXPECT_EQ(losses("steps"), one);
}

TEST_F(KerasFaults, LayersThatAssignEndUnderCentralStorage) {
  expect_end(with_dropout(2, "central_storage"),
             "ValueError: Exception encountered when calling Dropout.call().");
  expect_done(with_dropout(1, "central_storage"));
}

// ---- (d) Central storage

TEST_F(KerasFaults, TotalsGrowWithEachStepUnderCentralStorage) {
  for (const int replicas : {2, 3}) {
    const std::string text = scenario(replicas, fit(2 * replicas), "central_storage");
    EXPECT_TRUE(has(validated(text).messages, fmt::format("grow {}-fold in each step", replicas)));
    expect_done(text);
    const std::vector<double> steps = losses("steps"), epochs = losses("epochs");
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(2 * 24 / (2 * replicas)));
    double total = 0, count = 0;
    for (std::size_t i = 0; i < steps.size() / 2; ++i) {
      total = replicas * total + steps[i];
      count = replicas * count + 1;
    }
    EXPECT_NEAR(epochs[0], total / count, 1e-5 * epochs[0]);
    expect_done(text, {"faithful=false"});
    double mean = 0;
    const std::vector<double> plain = losses("steps");
    for (std::size_t i = 0; i < plain.size() / 2; ++i)
      mean += plain[i] * 2 / static_cast<double>(plain.size());
    EXPECT_NEAR(losses("epochs")[0], mean, 1e-5 * mean);
  }
}

// ---- Which scenarios are meant

TEST_F(KerasFaults, AreNotThoseOfAVersionThatTheScenarioDoesNotName) {
  std::string text = scenario(2, fit(5));
  const std::string named = R"("semantics": "keras3",)";
  text.erase(text.find(named), named.size());
  const Said said = validated(text);
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_FALSE(has(said.messages, "warning: ")) << said.messages;
  expect_done(text);
  expect_job_failed(text, "Inputs to operation AddN", {"faithful=true"});
}

}  // namespace
}  // namespace wt
