// Claims: metrics and initializers compute what TensorFlow recorded; metrics whose rows are shared among 2, 3 or 8
// replicas have the results and the states of one device; programs with Mean, Sum, MeanTensor and functions of a user's
// own, and tf.random with seeds, give the recorded numbers.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "model/metric.h"
#include "recordings/packed_recordings.h"
#include "study/recordings/comparison.h"
#include "study/recordings/judge.h"
#include "study/recordings/machine.h"
#include "study/recordings/metrics.h"
#include "train/function.h"

namespace wt::recordings {
namespace {

const PackedRecordings& recordings() {
  static const PackedRecordings packed({"losses_metrics.tar.gz", "further_metrics.tar.gz"});
  return packed;
}

class EveryVersion : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Recordings, EveryVersion, testing::Values("keras2", "keras3"),
                         [](const auto& test) { return test.param; });

void expect_passes(const std::string& version, const std::string& family, std::size_t count, double share) {
  std::size_t given = 0, passed = 0;
  for (const Recording& recording : recordings().all()) {
    if (recording.version != version || !recording.id.starts_with(family)) continue;
    if (recording.value("config") == nullptr) continue;
    const Judgement judgement = judge(recording);
    if (judgement.verdict == Verdict::not_applicable) continue;
    ++given;
    passed += judgement.verdict == Verdict::passed ? 1 : 0;
    EXPECT_NE(judgement.verdict, Verdict::failed) << recording.id << ": " << judgement.why;
    EXPECT_NE(judgement.verdict, Verdict::empty) << recording.id << ": " << judgement.why;
  }
  EXPECT_EQ(given, count);
  EXPECT_GE(static_cast<double>(passed), share * static_cast<double>(given)) << passed;
}

TEST_P(EveryVersion, OfMetricsPasses) {
  expect_passes(GetParam(), "metric_", GetParam() == "keras2" ? 157 : 160, 1);
}
TEST_P(EveryVersion, OfInitializersPasses) { expect_passes(GetParam(), "initializer_", 23, 22.0 / 23); }

// ---- Replicas

void expect_equal(const std::string& what, const Tensor& ours, const Tensor& one) {
  Comparison comparison;
  comparison.near(what, ours, one, loss_limit);
  EXPECT_EQ(comparison.judgement().verdict, Verdict::passed) << comparison.judgement().why;
}

// Where labels are [rows] and predictions [rows, 1], Keras 2 means a batch as if it were one row, and Keras 3 compares
// each row with each in some losses. A mean along axis 0, the rows, is that of a batch, too.
bool takes_batch_for_row(const Recording& recording) {
  const json::Value* axis = recording.config("options")->find("axis");
  return recording.config("data")->string() == "flat_column" || (axis != nullptr && axis->integer() == 0);
}

// Batches have 5 to 20 rows, so that replicas have different numbers of rows, and of eight replicas some have none.
TEST_P(EveryVersion, OfMetricsIsTheSameOnReplicas) {
  int compared = 0;
  for (const Recording& recording : recordings().all()) {
    if (recording.version != GetParam() || !recording.id.starts_with("metric_")) continue;
    if (recording.value("config") == nullptr || judge(recording).verdict != Verdict::passed) continue;
    if (takes_batch_for_row(recording)) continue;
    for (const bool is_weighted : {false, true}) {
      if (recording.error(is_weighted ? "weighted/update0" : "plain/update0") != nullptr) continue;
      const Measured one = repeat_metric(recording, is_weighted, 1);
      for (const std::int64_t replicas : {2, 3, 8}) {
        const Measured several = repeat_metric(recording, is_weighted, replicas);
        const std::string id = fmt::format("{} on {} replicas", recording.id, replicas);
        for (std::size_t i = 0; i < one.results.size(); ++i)
          expect_equal(fmt::format("{}, result {}", id, i), several.results[i], one.results[i]);
        for (const auto& [name, state] : one.states)
          expect_equal(fmt::format("{}, {}", id, name), several.states.at(name), state);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 6 * 140);
}

// ---- Programs

// A metric that takes values, or labels and predictions, without a model.
class Program {
 public:
  using Values = std::function<Symbol(const std::vector<Symbol>& given)>;
  Program(const Recording& recording, std::string_view type, Values values = {})
      : recording_(recording),
        tensors_(recording.tensors()),
        metric_(model::metric_named(type, "seen")),
        values_(std::move(values)) {}

  void update(const std::vector<Tensor>& given, const std::optional<Tensor>& weight = {}) {
    train::Function function(
        "update", state_, machine_, train::Function::Mode::inference,
        [&](model::Building& building, const std::vector<Symbol>& x) {
          model::update_mean(building, metric_, values_ ? values_(x) : x[0],
                             weight ? std::optional(x.back()) : std::nullopt);
          return std::vector<Symbol>{};
        },
        recording_.semantics());
    std::vector<Tensor> arguments = given;
    if (weight) arguments.push_back(*weight);
    function(arguments);
  }
  void reset() {
    for (const std::string& name : model::state_names(metric_)) state_.reset(name);
  }
  void expect(const std::string& recorded) {
    std::vector<Tensor> states;
    for (const std::string& name : model::state_names(metric_)) states.push_back(state_.read(name));
    expect_equal(recorded, model::metric_result(metric_, states, recording_.semantics()),
                 tensors_.at(recorded));
  }
  void expect_states(const std::string& recorded) {
    for (const auto& [name, tensor] : tensors_) {
      if (!name.starts_with(recorded + "/")) continue;
      expect_equal(name, state_.read("seen" + name.substr(name.rfind('/'))), tensor);
      ++compared_;
    }
  }
  const Tensor& recorded(const std::string& name) const { return tensors_.at(name); }
  int compared() const { return compared_; }

 private:
  const Recording& recording_;
  std::map<std::string, Tensor> tensors_;
  model::Metric metric_;
  Values values_;
  Machine machine_;
  train::State state_{1};
  int compared_ = 0;
};

// The values times 1, 2 and 3.
Tensor multiple(const Tensor& values, int factor) {
  Tensor product = values.copy();
  if (product.type() == Type::int64)
    for (std::int64_t& each : product.values<std::int64_t>()) each *= factor;
  else
    for (float& each : product.values<float>()) each *= static_cast<float>(factor);
  return product;
}

void expect_values(const Recording& recording, std::string_view type) {
  Program program(recording, type);
  for (const std::string mode : {"plain", "weighted"})
    for (const std::string key : {"scalar", "vector", "matrix_rows", "matrix", "column", "ints", "empty"}) {
      const std::string place = fmt::format("{}/{}", mode, key);
      program.reset();
      for (int i = 0; i < 3; ++i) {
        program.update({multiple(program.recorded("in/" + key), i + 1)},
                       mode == "plain" ? std::nullopt : std::optional(program.recorded("weights/" + key)));
        program.expect(fmt::format("{}/{}", place, i));
      }
      program.expect_states(place + "/variables");
    }
  program.reset();
  program.expect("unused");
  program.update({Tensor::of<float>({}, {4})});
  program.expect("called");
  program.expect("after_call");
  EXPECT_GE(program.compared(), 14);
}

TEST_P(EveryVersion, OfMetricMean) { expect_values(recordings().named(GetParam(), "metric_mean"), "Mean"); }
TEST_P(EveryVersion, OfMetricSum) { expect_values(recordings().named(GetParam(), "metric_sum"), "Sum"); }

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}

TEST_P(EveryVersion, OfMetricMeanTensor) {
  const Recording& recording = recordings().named(GetParam(), "metric_mean_tensor");
  if (GetParam() == "keras2") {
    Program program(recording, "MeanTensor");
    program.update({floats({4}, {0, 1, 2, 3})});
    program.update({floats({4}, {4, 5, 6, 7})});
    program.expect("mean_tensor");
    program.update({floats({4}, {12, 10, 8, 6})}, floats({4}, {0, 0.2F, 0.5F, 1}));
    program.expect("mean_tensor_weighted");
  }
  // MeanMetricWrapper(fn=lambda a, b: tf.abs(a - b)) is a mean of a user's own values.
  Program distance(recording, "Mean", [](const std::vector<Symbol>& x) { return abs(x[0] - x[1]); });
  distance.update({floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {0, 2, 5, 3})});
  distance.expect("wrapper");
  distance.update({floats({1, 2}, {1, 2}), floats({1, 2}, {0, 5})}, floats({1}, {0.5F}));
  distance.expect("wrapper_weighted");
  Program pitfall(recording, "Mean");
  for (const float value : {1.25F, 2.25F}) pitfall.update({floats({}, {value})});
  pitfall.expect("pitfall");
  pitfall.expect_states("pitfall");
  EXPECT_EQ(pitfall.compared(), 2);
}

// tf.random.stateless_uniform and its like with a pair of seeds.
TEST_P(EveryVersion, OfInitializerGlobalSeedTf) {
  const std::map<std::string, Tensor> tensors =
      recordings().named(GetParam(), "initializer_global_seed_tf").tensors();
  for (const std::int64_t seed : {7, 0}) {
    const PhiloxStream stream = stream_of({seed, 5});
    const auto expect = [&](const std::string& name, const auto& fill) {
      std::vector<float> values(9);
      fill(values, stream, 0, 1);
      expect_equal(name, floats({9}, values), tensors.at(fmt::format("seed{}/stateless_{}", seed, name)));
    };
    expect("uniform", fill_uniform);
    expect("normal", fill_normal);
    expect("truncated", fill_truncated_normal);
  }
}

}  // namespace
}  // namespace wt::recordings
