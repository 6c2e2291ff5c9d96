// Claims: rows of CSV files train to the numbers of Keras' own fit; a model with several inputs and outputs logs
// what Keras logs; workers read files of their own.

#include <cmath>
#include <fstream>
#include <set>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::Said;

const std::string two_outputs = std::string(WT_TEST_DATA) + "/cli/two_outputs/";

class DataFiles : public test::ScenarioRuns {
 protected:
  json::Value trained(const std::vector<std::string>& overrides) {
    const Said said = run_file(two_outputs + "scenario.json", "out", overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results("out");
  }

  // Every log of every epoch, by Keras' names.
  static void expect_history(const json::Value& results, const json::Value& history) {
    const auto& epochs = results.find("epochs")->elements();
    ASSERT_FALSE(epochs.empty());
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      std::set<std::string> logs{"loss"};
      for (const json::Member& metric : epochs[epoch].find("metrics")->members()) logs.insert(metric.key);
      std::set<std::string> expected;
      for (const json::Member& log : history.members()) {
        expected.insert(log.key);
        const json::Value* ours =
            log.key == "loss" ? epochs[epoch].find("loss") : epochs[epoch].find("metrics")->find(log.key);
        if (ours == nullptr) continue;
        const double theirs = log.value.elements()[epoch].real();
        EXPECT_NEAR(ours->real(), theirs, 1e-5 * std::abs(theirs)) << log.key << " in epoch " << epoch;
      }
      EXPECT_EQ(logs, expected);
    }
  }

  // The rows of two_outputs in three files of 20, 16 and 12.
  std::string three_files() const {
    std::ifstream file(two_outputs + "rows.csv");
    std::string head, line, text;
    std::getline(file, head);
    int row = 0;
    for (const int rows : {20, 16, 12}) {
      text = head + "\n";
      for (int i = 0; i < rows && std::getline(file, line); ++i) text += line + "\n";
      base_.write("part-" + std::to_string(row++) + ".csv", text);
    }
    return (base_ / "part-*.csv").string();
  }
};

TEST_F(DataFiles, OfTwoInputsAndTwoOutputsTrainAsInKerasFit) {
  for (const std::string keras : {"keras3", "keras2"}) {
    const json::Value history = json::parse_file(two_outputs + keras + "/history.json");
    for (const int replicas : {1, 2, 3}) {
      SCOPED_TRACE(keras + " on " + std::to_string(replicas));
      const json::Value results = trained({"model.keras_json=" + two_outputs + keras + "/model.json",
                                           "model.weights=" + two_outputs + keras + "/first.safetensors",
                                           "platform.virtual.devices=" + std::to_string(replicas)});
      expect_history(results, *history.find(replicas == 1 ? "1" : "2"));
    }
  }
}

TEST_F(DataFiles, ByPositionAreThoseByName) {
  const json::Value history = json::parse_file(two_outputs + "keras3/history.json");
  expect_history(trained({R"(training.loss=["mse", "sparse_categorical_crossentropy"])",
                          "training.loss_weights=[0.5, 2]", R"(training.metrics=[["mae"], ["accuracy"]])"}),
                 *history.find("1"));
  // Keras 3 deals a plain list out, one metric for each output.
  expect_history(trained({R"(training.metrics=["mae", "accuracy"])"}), *history.find("1"));
}

TEST_F(DataFiles, AreReadByWorkersWhole) {
  const std::string files = "dataset.file=" + three_files();
  const auto steps = [&](int workers, const std::string& policy) {
    const json::Value results =
        trained({files, "dataset.autoshard=" + policy, "strategy=multi_worker_mirrored",
                 "platform.virtual.devices=" + std::to_string(2 * workers),
                 "platform.virtual.workers=" + std::to_string(workers), "training.epochs=1"});
    return results.find("steps")->elements().size();
  };
  EXPECT_EQ(steps(2, "auto"), 6u);  // 32 rows of one worker, 6 in each step
  EXPECT_EQ(steps(3, "auto"), 5u);  // 20 rows, 4 in each step
  EXPECT_EQ(steps(3, "data"), 4u);  // 48 rows of all, 12 in each step
  EXPECT_EQ(steps(2, "off"), 8u);   // 48 rows of each worker
  const Said said = run_file(
      two_outputs + "scenario.json", "out",
      {files, "strategy=multi_worker_mirrored", "platform.virtual.devices=4", "platform.virtual.workers=4"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(test::has(
      said.messages, "the dataset only has 3 file(s), which is not enough for the required 4 shards/workers"))
      << said.messages;
}

}  // namespace
}  // namespace wt
