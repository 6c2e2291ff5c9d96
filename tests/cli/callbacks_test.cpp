// Claim: a scenario names Keras' callbacks, and fit is stopped, saved and logged by them in the same way on 1, 2, 3 and 8
// replicas, on several machines, with parameter servers and from a resolved scenario; the job's time and the newest
// checkpoint are those of the epochs that were trained; without numbers nothing is stopped, and a note says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/scenario_runs.h"
#include "tensor/safetensors.h"

namespace wt {
namespace {

using test::has;
using test::number_at;
using test::Said;

// A learning rate that grows until the loss does, too.
const std::string scenario = R"({
  "name": "callbacks",
  "platform": "dgx_h100",
  "devices": { "visible": ["GPU:0"] },
  "model": { "name": "net", "layers": [
    { "class_name": "Dense", "config": { "units": 4, "activation": "tanh", "batch_input_shape": [null, 6] } },
    { "class_name": "Dense", "config": { "units": 1 } }] },
  "dataset": { "type": "synthetic", "rows": 96 },
  "training": {
    "loop": "fit",
    "loss": "mse",
    "optimizer": "sgd",
    "metrics": ["mae"],
    "global_batch": 48,
    "epochs": 12,
    "evaluation": { "every": 1 },
    "checkpointing": { "every": 5 },
    "save_weights": "weights.safetensors",
    "callbacks": [
      { "type": "LearningRateScheduler", "schedule": [0.1, 0.1, 0.1, 30.0] },
      { "type": "EarlyStopping", "patience": 2, "restore_best_weights": true },
      { "type": "ModelCheckpoint", "filepath": "best/{epoch:02d}.safetensors", "save_best_only": true },
      { "type": "ModelCheckpoint", "filepath": "each/{epoch}-{batch}.safetensors", "save_freq": 3 },
      { "type": "CSVLogger", "filename": "log.csv" }]
  },
  "job": {},
  "seed": 4
})";

class CallbacksOfFit : public test::ScenarioRuns {
 protected:
  // The training is stopped two epochs after the third, the best one.
  void expect_stopped_as_on_one_device(const std::string& out) {
    const json::Value found = results(out);
    ASSERT_NE(found.find("stopped"), nullptr) << out;
    EXPECT_EQ(found.find("stopped")->find("by")->string(), "EarlyStopping");
    EXPECT_EQ(number_at(found, {"stopped", "epochs"}), 5);
    const auto& epochs = found.find("epochs")->elements();
    ASSERT_EQ(epochs.size(), 5U);
    for (std::size_t i = 0; i < epochs.size(); ++i)
      EXPECT_FLOAT_EQ(static_cast<float>(number_at(epochs[i], {"learning_rate"})), i < 3 ? 0.1F : 30.0F);
    const auto best = read_safetensors(base_ / out / "best/03.safetensors").tensors;
    for (const auto& [name, tensor] : read_safetensors(base_ / out / "weights.safetensors").tensors)
      EXPECT_TRUE(std::ranges::equal(tensor.bytes(), best.at(name).bytes())) << name;
    EXPECT_FALSE(std::filesystem::exists(base_ / out / "best/04.safetensors"));
    for (const auto* name : {"each/2-1.safetensors", "each/3-2.safetensors", "each/5-1.safetensors"})
      EXPECT_TRUE(std::filesystem::exists(base_ / out / name)) << name;
    std::ifstream log(base_ / out / "log.csv");
    std::string line;
    std::getline(log, line);
    EXPECT_EQ(line, "epoch,learning_rate,loss,mae,val_loss,val_mae\r");
    EXPECT_TRUE(std::filesystem::exists(base_ / out / "checkpoints/ckpt-1.safetensors"));
    EXPECT_FALSE(std::filesystem::exists(base_ / out / "checkpoints/ckpt-2.safetensors"));
  }

  static std::string visible(int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += fmt::format("{}\"GPU:{}\"", i == 0 ? "" : ",", i);
    return fmt::format("devices.visible=[{}]", list);
  }
};

TEST_F(CallbacksOfFit, ActTheSameOnAnyNumberOfReplicas) {
  for (const int replicas : {1, 2, 3, 8}) {
    const std::string out = fmt::format("replicas_{}", replicas);
    const Said said = run_text(scenario, out, {R"(strategy={"type":"mirrored"})", visible(replicas)});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(has(said.messages, "EarlyStopping: the training ends after epoch 5")) << said.messages;
    EXPECT_TRUE(has(said.results, "EarlyStopping ended the training after 5 epochs")) << said.results;
    expect_stopped_as_on_one_device(out);
  }
}

TEST_F(CallbacksOfFit, ActTheSameOnSeveralMachines) {
  const Said said = run_text(scenario, "machines",
                             {R"(strategy={"type":"multi_worker_mirrored"})", visible(4),
                              R"(platform={"machines":[{"file":"dgx_h100","count":3}]})"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  expect_stopped_as_on_one_device("machines");
}

TEST_F(CallbacksOfFit, ActTheSameFromAResolvedScenario) {
  ASSERT_EQ(run_text(scenario, "first").exit, cli::Exit::done);
  const Said said = run_file((base_ / "first/scenario.resolved.json").string(), "again");
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  expect_stopped_as_on_one_device("again");
}

// Only Keras 2's fit trains with parameter servers. Its workers don't wait for each other, so that the losses are others.
TEST_F(CallbacksOfFit, ActWithParameterServers) {
  const Said said =
      run_text(scenario, "servers",
               {R"(strategy={"type":"parameter_server"})", R"(cluster={"worker":2,"ps":1,"chief":1})",
                "semantics=keras2",
                R"(platform={"machines":[{"file":"dgx1_p100","count":2},{"file":"cpu_server","count":2}]})",
                "training.evaluation=null", "training.steps_per_epoch=2", "training.checkpointing=null",
                R"(training.callbacks=[{"type":"LearningRateScheduler","schedule":[0.1,0.1,0.0]},)"
                R"({"type":"EarlyStopping","monitor":"loss","patience":2,"min_delta":0.0001}])"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(results("servers").find("stopped")->find("by")->string(), "EarlyStopping");
}

TEST_F(CallbacksOfFit, ShortenTheJob) {
  ASSERT_EQ(run_text(scenario, "stopped").exit, cli::Exit::done);
  ASSERT_EQ(run_text(scenario, "planned", {"training.epochs=5", "training.callbacks=[]"}).exit,
            cli::Exit::done);
  EXPECT_EQ(number_at(results("stopped"), {"job", "time_s"}),
            number_at(results("planned"), {"job", "time_s"}));
}

TEST_F(CallbacksOfFit, AreNotedWhereNothingIsComputed) {
  const Said said = run_text(scenario, "timed", {"numerics=none", "training.save_weights=null"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages, "all epochs are counted")) << said.messages;
  EXPECT_EQ(results("timed").find("stopped"), nullptr);
}

TEST_F(CallbacksOfFit, TerminateOnNaN) {
  const Said said = run_text(scenario, "nan",
                             {R"(training.callbacks=[{"type":"LearningRateScheduler","schedule":[1e30]},)"
                              R"({"type":"TerminateOnNaN"}])"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(results("nan").find("stopped")->find("by")->string(), "TerminateOnNaN");
  EXPECT_LT(results("nan").find("steps")->elements().size(), 24U);
}

}  // namespace
}  // namespace wt
