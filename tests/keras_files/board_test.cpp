// Claims (row G21): summaries are written once, whatever the number of replicas: the same tags and steps on one, two and
// three devices, with steps per second and times of the simulated machine; what Keras writes for each update_freq is
// compared by board.py, which reads ours with TensorFlow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstring>

#include "../cli/command.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "data/record_file.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

std::string scenario(const std::string& platform, const std::string& semantics, const std::string& frequency,
                     bool is_timed = true) {
  return fmt::format(R"({{"name": "board", {} "semantics": "{}",
    "model": {{ "layers": [
      {{ "class_name": "Dense", "config": {{ "units": 2, "batch_input_shape": [null, 3], "activation": "softmax" }} }}] }},
    "dataset": {{ "type": "synthetic", "rows": 36 }},
    "training": {{ "loop": "fit", "loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "metrics": ["accuracy"],
      "global_batch": 12, "epochs": 2, "evaluation": {{ "every": 1 }},
      "callbacks": [{{ "type": "TensorBoard", "log_dir": "logs", "update_freq": {}, "write_steps_per_second": {} }}] }} }})",
                     platform, semantics, frequency, is_timed);
}

std::string platform_of(int devices) {
  return fmt::format(
      R"("platform": {{ "virtual": {{ "devices": {} }} }}, "strategy": {{ "type": "mirrored" }},)", devices);
}

// The scalar of an event, by the layout that tests/data/event_file_test.cpp compares with TensorFlow's.
struct Scalar {
  std::string tag{};
  double wall_time = 0;
  float value = 0;
};

Scalar scalar_of(std::string_view event) {
  Scalar scalar;
  std::memcpy(&scalar.wall_time, event.data() + 1, sizeof scalar.wall_time);
  const std::string_view shape("\x12\x00\x22\x04", 4);
  const std::size_t number = event.find(shape) + shape.size();
  std::memcpy(&scalar.value, event.data() + number, sizeof scalar.value);
  const std::size_t tensor = event.find("\x42\x0a\x08\x01");
  std::size_t begin = tensor;
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(event[begin - 1])) != 0 || event[begin - 1] == '_'))
    --begin;
  scalar.tag = event.substr(begin, tensor - begin);
  return scalar;
}

std::vector<Scalar> scalars_in(const fs::path& folder) {
  const data::RecordFile file(folder / "events.out.tfevents.0.windtunnel.v2", {});
  std::vector<Scalar> scalars;
  for (std::size_t i = 1; i < file.records().size(); ++i)
    scalars.push_back(scalar_of(file.records()[i].data));
  return scalars;
}

class G21 : public testing::Test {
 protected:
  test::Said run(const std::string& text) {
    write_text(folder_.path() / "s.json", text);
    return test::call(
        {"run", (folder_.path() / "s.json").string(), "--out", (folder_.path() / "out").string()});
  }
  std::vector<std::string> tags(const std::string& part) const {
    std::vector<std::string> names;
    for (const Scalar& scalar : scalars_in(folder_.path() / "out/logs" / part)) names.push_back(scalar.tag);
    return names;
  }
  const TemporaryFolder folder_{};
};

using Tags = std::vector<std::string>;

TEST_F(G21, SummariesAreThoseOfReplica0) {
  for (const int devices : {1, 2, 3}) {
    const test::Said said = run(scenario(platform_of(devices), "keras3", "3"));
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const Tags epoch{"batch_steps_per_second", "batch_loss", "batch_accuracy",
                     "epoch_accuracy",         "epoch_loss", "epoch_learning_rate",
                     "epoch_steps_per_second"};
    Tags both = epoch;
    both.insert(both.end(), epoch.begin(), epoch.end());
    EXPECT_EQ(tags("train"), both) << devices;
    const Tags evaluated{"evaluation_loss_vs_iterations", "evaluation_accuracy_vs_iterations",
                         "epoch_accuracy", "epoch_loss"};
    both = evaluated;
    both.insert(both.end(), evaluated.begin(), evaluated.end());
    EXPECT_EQ(tags("validation"), both) << devices;

    const json::Value results = test::results_in(folder_.path() / "out");
    const json::Value::Elements& steps = results.find("steps")->elements();
    const std::vector<Scalar> scalars = scalars_in(folder_.path() / "out/logs/train");
    double time = 0;
    for (std::size_t i = 0; i < 3; ++i) time += test::number_at(steps[i], {"step_time_s"});
    EXPECT_NEAR(scalars[0].value, 1 / test::number_at(steps[2], {"step_time_s"}), 1e-6 * scalars[0].value);
    EXPECT_NEAR(scalars[6].value, 3 / time, 1e-6 * scalars[6].value);
    EXPECT_NEAR(scalars[0].wall_time, time, 1e-12);
    const json::Value& epochs = *results.find("epochs");
    EXPECT_NEAR(scalars[4].value, test::number_at(epochs.elements()[0], {"loss"}), 1e-6);
    EXPECT_NEAR(scalars[1].value, scalars[4].value, 1e-5)
        << "the loss of the last step is that of the epoch so far";
  }
}

// Keras 2 looks at steps only where it measures them; Keras 3 always, and leaves out what ends in between.
TEST_F(G21, TagsAreThoseOfTheVersion) {
  ASSERT_EQ(run(scenario("", "keras2", "\"batch\"", false)).exit, cli::Exit::done);
  EXPECT_EQ(tags("train"), (Tags{"epoch_accuracy", "epoch_loss", "epoch_accuracy", "epoch_loss"}));
  ASSERT_EQ(run(scenario("", "keras3", "\"epoch\"", false)).exit, cli::Exit::done);
  EXPECT_EQ(tags("train"), (Tags{"epoch_accuracy", "epoch_loss", "epoch_learning_rate", "epoch_accuracy",
                                 "epoch_loss", "epoch_learning_rate"}));
  ASSERT_EQ(run(scenario("", "keras3", "4", false)).exit, cli::Exit::done);
  EXPECT_EQ(tags("train"), (Tags{"batch_loss", "batch_accuracy"}));
}

TEST_F(G21, WhatCannotBeWrittenIsRefused) {
  const test::Said timed = run(scenario("", "keras3", "1"));
  EXPECT_EQ(timed.exit, cli::Exit::input_wrong);
  EXPECT_NE(timed.messages.find("without a platform no step is timed"), std::string::npos) << timed.messages;
  for (const char* frequency : {"0", "\"step\"", "1.5", "[]"}) {
    const test::Said said = run(scenario("", "keras3", frequency, false));
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_NE(said.messages.find(R"(write "epoch", "batch", or a number of steps)"), std::string::npos)
        << said.messages;
  }
}

}  // namespace
}  // namespace wt
