// Claims: rows of CSV files train to the numbers of Keras' own fit; a model with several inputs and outputs logs
// what Keras logs; workers read files of their own.

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "cli/scenario_runs.h"
#include "tensor/safetensors.h"

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
      std::map<std::string, double> logs = logs_of(epochs[epoch], "");
      if (const json::Value* evaluation = epochs[epoch].find("evaluation"))
        logs.merge(logs_of(*evaluation, "val_"));
      std::set<std::string> ours, theirs;
      for (const auto& [name, value] : logs) ours.insert(name);
      for (const json::Member& log : history.members()) {
        theirs.insert(log.key);
        const double value = log.value.elements()[epoch].real();
        if (!logs.contains(log.key)) continue;
        EXPECT_NEAR(logs.at(log.key), value, 1e-5 * std::abs(value)) << log.key << " in epoch " << epoch;
      }
      EXPECT_EQ(ours, theirs);
    }
  }

  static std::map<std::string, double> logs_of(const json::Value& result, const std::string& prefix) {
    std::map<std::string, double> logs{{prefix + "loss", result.find("loss")->real()}};
    for (const json::Member& metric : result.find("metrics")->members())
      logs[prefix + metric.key] = metric.value.real();
    return logs;
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

const std::string weighted_metrics = R"(training.weighted_metrics={"kind": ["accuracy"], "price": ["mse"]})";

// The weights count in the loss, in the weighted metrics, and in the evaluation, however many replicas there are.
TEST_F(DataFiles, CountRowsByTheirWeightsAsInKerasFit) {
  for (const std::string keras : {"keras3", "keras2"}) {
    const json::Value history = json::parse_file(two_outputs + keras + "/weighted_history.json");
    for (const int replicas : {1, 2, 3}) {
      SCOPED_TRACE(keras + " on " + std::to_string(replicas));
      const json::Value results = trained({"model.keras_json=" + two_outputs + keras + "/model.json",
                                           "model.weights=" + two_outputs + keras + "/first.safetensors",
                                           R"(dataset.sample_weight=["weight_of_price", "weight_of_kind"])",
                                           weighted_metrics, "training.evaluation={\"every\": 1}",
                                           "platform.virtual.devices=" + std::to_string(replicas)});
      expect_history(results, *history.find(replicas == 1 ? "1" : "2"));
    }
  }
}

TEST_F(DataFiles, OfStoredTensorsHaveTheirWeightsToo) {
  // Labels 0, weights 1 to 4: a step of gradient descent takes rate * mean(2 weight x) off a prediction w x with x = 1.
  TensorFile file;
  file.tensors["x"] = Tensor::of<float>({4, 1}, {1, 1, 1, 1});
  file.tensors["y"] = Tensor::zeros({Type::float32, {4, 1}});
  file.tensors["counts"] = Tensor::of<float>({4}, {1, 2, 3, 4});
  write_safetensors(base_ / "rows.safetensors", file);
  base_.write("model.json", R"({"class_name": "Sequential", "config": {"name": "line", "layers": [
      {"class_name": "InputLayer", "config": {"batch_input_shape": [null, 1], "dtype": "float32", "name": "x"}},
      {"class_name": "Dense", "config": {"name": "dense", "units": 1, "use_bias": false, "kernel_initializer":
        {"class_name": "Ones", "config": {}}}}]}, "keras_version": "2.15.0", "backend": "tensorflow"})");
  for (const int replicas : {1, 2}) {
    const Said said = run_text(R"({
      "name": "weighted", "platform": {"virtual": {"devices": 1}}, "strategy": "mirrored",
      "model": {"keras_json": "model.json"},
      "dataset": {"type": "safetensors", "file": "rows.safetensors", "sample_weight": "counts"},
      "training": {"loop": "fit", "loss": "mse", "optimizer": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
                   "global_batch": 4, "epochs": 2}})",
                               "out", {"platform.virtual.devices=" + std::to_string(replicas)});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value trained = results("out");
    const auto& epochs = trained.find("epochs")->elements();
    // The weight begins as 1: losses 2.5 w^2, and w falls by 0.1 * 2 * 2.5 w.
    EXPECT_NEAR(epochs[0].find("loss")->real(), 2.5, 1e-6);
    EXPECT_NEAR(epochs[1].find("loss")->real(), 2.5 * 0.25, 1e-6);
  }
}

TEST_F(DataFiles, RefuseWeightsThatDoNotFit) {
  const auto refused = [&](const std::vector<std::string>& overrides, const std::string& words) {
    std::vector<std::string> call_words{"validate", two_outputs + "scenario.json"};
    for (const std::string& each : overrides) call_words.insert(call_words.end(), {"--set", each});
    const Said said = test::call(call_words);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_TRUE(test::has(said.messages, words)) << said.messages;
  };
  refused({R"(dataset.sample_weight="weight_of_prize")"}, "did you mean \"weight_of_price\"");
  refused({R"(dataset.sample_weight=["weight_of_price", "weight_of_kind", "a0"])"},
          "\"sample_weight\" has 3 names, and the model \"two\" has 2 outputs");
  refused({R"(dataset.sample_weight="weight_of_price")", R"(training.class_weight={"0": 1, "1": 2})"},
          "TensorFlow takes no \"class_weight\" beside it");
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
