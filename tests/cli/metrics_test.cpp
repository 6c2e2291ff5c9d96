// Claim: a scenario names each of Keras' metrics by its class and arguments, and `run` prints and writes their results, the
// same for 1, 2, 3 and 8 replicas; what they cost is part of a step whose numbers aren't computed; `validate` refuses what
// a metric cannot compare.

#include <gtest/gtest.h>

#include "cli/command.h"

namespace wt {
namespace {

using test::call;
using test::number_at;
using test::results_in;
using test::Said;

const std::string scenario = R"({
  "name": "metrics",
  "platform": { "virtual": { "devices": 8 } },
  "strategy": { "type": "default" },
  "model": { "name": "three", "layers": [
    { "class_name": "Dense", "config": { "units": 3, "activation": "softmax", "batch_input_shape": [null, 6] } }] },
  "dataset": { "type": "synthetic", "rows": 100 },
  "training": {
    "loss": "sparse_categorical_crossentropy",
    "loss_scale": "global_rows",
    "optimizer": "adam",
    "metrics": ["accuracy", "SparseCategoricalCrossentropy",
      { "class_name": "SparseTopKCategoricalAccuracy", "config": { "k": 2, "name": "top2" } },
      { "class_name": "MeanIoU", "config": { "num_classes": 3, "sparse_y_pred": false } }],
    "global_batch": 32,
    "epochs": 2
  },
  "seed": 5
})";

const std::string columns = R"({
  "name": "columns",
  "platform": { "virtual": { "devices": 8 } },
  "strategy": { "type": "default" },
  "model": { "name": "three", "layers": [
    { "class_name": "Dense", "config": { "units": 3, "activation": "sigmoid", "batch_input_shape": [null, 2] } }] },
  "dataset": { "type": "constant", "x": [1.0, -2.0], "y": [1.0, 0.0, 1.0], "rows": 50 },
  "training": {
    "loss": "binary_crossentropy",
    "loss_scale": "global_rows",
    "optimizer": "sgd",
    "metrics": ["AUC", "mse", "cosine_similarity", "recall",
      { "class_name": "Precision", "config": { "thresholds": [0.0, 0.5, 0.9] } },
      { "class_name": "F1Score", "config": { "average": "macro", "threshold": 0.5 } },
      { "class_name": "TruePositives", "config": { "name": "hits" } }],
    "global_batch": 16,
    "epochs": 2
  },
  "seed": 5
})";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Metrics : public testing::Test {
 protected:
  json::Value run(const std::string& text, const std::string& out,
                  const std::vector<std::string>& overrides = {}) {
    test::write_bytes(base_ / "scenario.json", text);
    std::vector<std::string> words{"run", (base_ / "scenario.json").string(), "--out",
                                   (base_ / out).string()};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    printed_ = said.results;
    return results_in(base_ / out);
  }

  // Of the last epoch, by name.
  static std::map<std::string, double> metrics_of(const json::Value& results) {
    std::map<std::string, double> metrics;
    for (const json::Member& metric : results.find("epochs")->elements().back().find("metrics")->members())
      metrics[metric.key] = metric.value.real();
    return metrics;
  }

  test::TestFolder base_{};
  std::string printed_{};
};

TEST_F(Metrics, AreTheSameOnReplicas) {
  for (const std::string& text : {scenario, columns}) {
    const std::map<std::string, double> one = metrics_of(run(text, "one"));
    EXPECT_EQ(one.size(), text == scenario ? 4u : 9u);
    for (const int replicas : {2, 3, 8}) {
      const std::map<std::string, double> several = metrics_of(run(
          text, "several", {"strategy.type=mirrored", fmt::format("platform.virtual.devices={}", replicas)}));
      ASSERT_EQ(several.size(), one.size());
      for (const auto& [name, value] : one)
        EXPECT_NEAR(several.at(name), value, 1e-5 * std::max(1.0, std::abs(value)))
            << name << " on " << replicas << " replicas";
    }
  }
}

// All rows are the same: of 3 labels two are true, and a threshold of 0 takes each prediction for true.
TEST_F(Metrics, AreThoseOfClosedForms) {
  const std::map<std::string, double> metrics = metrics_of(run(columns, "out"));
  EXPECT_FLOAT_EQ(static_cast<float>(metrics.at("precision[0]")), 2.0F / 3);
  const double hits = metrics.at("hits");
  EXPECT_TRUE(hits == 0 || hits == 50 || hits == 100) << hits;
  EXPECT_NEAR(metrics.at("recall"), hits / 100, 1e-6);
  EXPECT_TRUE(contains(printed_, "precision[0]  precision[1]  precision[2]")) << printed_;
}

TEST_F(Metrics, CostTimeWhereNumbersAreNotComputed) {
  const auto step = [&](const std::string& metrics) {
    return number_at(run(columns, "out",
                         {"numerics=none", "platform=workstation_2x4090", "strategy.type=mirrored",
                          "training.metrics=" + metrics}),
                     {"simulated", "compute_s"});
  };
  EXPECT_GT(step(R"(["AUC"])"), step("[]"));
}

TEST_F(Metrics, AreRefusedBeforeAnythingIsComputed) {
  test::write_bytes(base_ / "scenario.json", columns);
  const auto refusal = [&](const std::string& metric) {
    const Said said =
        call({"validate", (base_ / "scenario.json").string(), "--set", "training.metrics=[" + metric + "]"});
    EXPECT_NE(said.exit, cli::Exit::done);
    return said.messages;
  };
  const auto expect = [&](const std::string& metric, const std::string& text) {
    const std::string said = refusal(metric);
    EXPECT_TRUE(contains(said, text)) << said;
  };
  expect(R"({"class_name": "Precision", "config": {"top_k": 9}})",
         "input must have at least k columns. Had 3, needed 9");
  expect(R"({"class_name": "Precision", "config": {"thresholds": [2]}})",
         "Threshold values must be in [0, 1]. Received: [2.0]");
  expect(R"({"class_name": "AUC", "config": {"num_labels": 3}})",
         "`num_labels` is needed only when `multi_label` is True.");
  expect(R"({"class_name": "AUC", "config": {"num_thresholds": 1}})",
         "Argument `num_thresholds` must be an integer > 1. Received: num_thresholds=1");
  expect(R"({"class_name": "PrecisionAtRecall", "config": {"recall": 1.5}})",
         "Argument `recall` must be in the range [0, 1]. Received: recall=1.5");
  expect(R"({"class_name": "IoU", "config": {"num_classes": 4, "target_class_ids": [5]}})",
         "Target class id 5 is out of range, which is [0, 4).");
  expect(R"("MeanIoU")", "the metric has no \"num_classes\"");
  expect(R"({"class_name": "MeanRelativeError", "config": {"normalizer": [1, 2, 3]}})",
         "[MeanRelativeError] Keras 3 has no such metric");
}

}  // namespace
}  // namespace wt
