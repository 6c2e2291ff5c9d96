// Claims: optimizers, schedules, loss scales and callbacks compute what TensorFlow recorded; on several mirrored replicas
// they compute what they do on one device, but for what is done to each replica's gradients before these are summed,
// which is compared with recordings of TensorFlow's own mirrored strategy; programs with a schedule or a callback of a
// user's own have their recorded counterpart here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/keras_json.h"
#include "model/weights.h"
#include "program/operations.h"
#include "recordings/packed_recordings.h"
#include "scenario/read_scenario.h"
#include "study/recordings/comparison.h"
#include "study/recordings/families.h"
#include "study/recordings/judge.h"
#include "study/recordings/machine.h"
#include "train/function.h"

namespace wt::recordings {
namespace {

const PackedRecordings& recordings() {
  static const PackedRecordings packed({"optimizers.tar.gz", "further_optimizers.tar.gz"});
  return packed;
}

class EveryKeras : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Recordings, EveryKeras, testing::Values("keras2", "keras3"),
                         [](const auto& test) { return test.param; });

struct Counts {
  std::size_t passed = 0;
  std::size_t not_applicable = 0;
};

Counts count(const std::string& version, const std::vector<std::string>& families) {
  Counts counts;
  for (const Recording& recording : recordings().all()) {
    if (recording.version != version || recording.value("config") == nullptr) continue;
    if (std::ranges::none_of(families, [&](const auto& family) { return recording.id.starts_with(family); }))
      continue;
    const Judgement judgement = judge(recording);
    if (judgement.verdict == Verdict::passed)
      ++counts.passed;
    else if (judgement.verdict == Verdict::not_applicable)
      ++counts.not_applicable;
    else
      ADD_FAILURE() << recording.id << ": " << judgement.why;
  }
  return counts;
}

TEST_P(EveryKeras, OfOptimizersPasses) {
  const Counts counts = count(GetParam(), {"optimizer_", "schedule_", "loss_scale_"});
  EXPECT_EQ(counts.passed, GetParam() == "keras2" ? 52U : 58U);
}

TEST_P(EveryKeras, OfCallbacksPasses) { EXPECT_EQ(count(GetParam(), {"callback_"}).passed, 27U); }

TEST_P(EveryKeras, P8_IsThatOfTensorFlowsMirroredStrategyOfThree) {
  const Counts counts = count(GetParam(), {"mirrored_"});
  EXPECT_EQ(counts.passed, GetParam() == "keras2" ? 11U : 10U);
}

// ---- One device and several

// Keras 3 clips the gradients of each replica before it sums them, and accumulates them there.
bool changes_gradients_of_replica(const Recording& recording) {
  if (recording.version == "keras2") return false;
  const json::Value* options = recording.config("options");
  if (const json::Value* inner = recording.config("inner")) options = &inner->elements()[1];
  for (const char* key : {"clipnorm", "clipvalue", "global_clipnorm", "gradient_accumulation_steps"})
    if (options->find(key) != nullptr) return true;
  return false;
}

TEST_P(EveryKeras, IsThatOfOneDeviceOnMirroredReplicas) {
  std::size_t compared = 0;
  for (const Recording& recording : recordings().all()) {
    if (recording.version != GetParam() || recording.id.starts_with("mirrored_")) continue;
    if (recording.value("config") == nullptr || judge(recording).verdict != Verdict::passed) continue;
    if (recording.tensors().empty()) continue;  // only a refusal is recorded
    const bool is_callback = recording.id.starts_with("callback_");
    if (!is_callback && changes_gradients_of_replica(recording)) continue;
    for (const std::int64_t replicas : {2, 3, 4}) {
      const std::int64_t rows = is_callback ? 4 : recording.tensors().at("x").shape()[1];
      if (rows % replicas != 0) continue;
      Comparison comparison;
      (is_callback ? compare_callback_on : compare_optimizer_on)(recording, comparison, replicas);
      EXPECT_EQ(comparison.judgement().verdict, Verdict::passed)
          << recording.id << " on " << replicas << " replicas: " << comparison.judgement().why;
      ++compared;
    }
  }
  EXPECT_GE(compared, 140U);
}

// ---- Programs without a configuration

// Numbers that a recording has under names such as "weights/step3/00/net/a/kernel", by our names: "a/kernel".
std::map<std::string, Tensor> weights_in(const std::map<std::string, Tensor>& tensors,
                                         const std::string& when, const model::Layer& layer) {
  std::map<std::string, Tensor> found;
  for (const auto& [recorded, tensor] : tensors)
    for (const model::Weight& weight : model::weights_of(layer))
      if (recorded.starts_with(when + "/") && recorded.ends_with("/" + weight.name))
        found.emplace(weight.name, tensor);
  EXPECT_EQ(found.size(), 4U) << when;
  return found;
}

// A schedule of the user's own is a rate that the step computes from the number of the optimizer's steps: first it
// warms up, and then falls with the square root.
TEST_P(EveryKeras, OfAScheduleOfTheUsersOwn) {
  const Recording& recording = recordings().named(GetParam(), "schedule_custom");
  const std::map<std::string, Tensor> tensors = recording.tensors();
  const model::LayerPtr layer =
      model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"));
  const model::Optimizer adam = model::optimizer_named("Adam", recording.semantics());
  Machine machine;
  train::State state(1);
  state.preset(weights_in(tensors, "initial", *layer));
  train::Function step(
      "step", state, machine, train::Function::Mode::training,
      [&](model::Building& building, const std::vector<Symbol>& given) {
        const Symbol loss = reduce_mean(square((*layer)(building, given[0]) - given[1]));
        const Symbol t = cast(model::iteration(building, adam), Type::float32) + 1.0;
        const Symbol one = fill(building.trace(), t.spec(), 1);
        const Symbol rate = minimum(one / sqrt(t), t * std::pow(0.3, 1.5)) * 0.05;
        const std::vector<Symbol> variables = building.trainable();
        model::apply_gradients(building, adam, variables, building.trace().gradient(loss, variables), rate,
                               {.semantics = recording.semantics()});
        return std::vector<Symbol>{loss};
      },
      recording.semantics());
  Comparison comparison;
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto row = [&](const char* name) {
      const Tensor all = tensors.at(name);
      return all.rows(i, i + 1).reshaped(Shape{all.shape()[1], all.shape()[2]});
    };
    const Tensor loss = step({row("x"), row("y")}).front();
    comparison.near(fmt::format("the loss of step {}", i), loss.values<float>()[0],
                    tensors.at("losses").values<float>()[static_cast<std::size_t>(i)]);
    for (const auto& [name, theirs] : weights_in(tensors, fmt::format("weights/step{}", i + 1), *layer))
      comparison.near(name, state.read(name), theirs, weight_limit);
  }
  EXPECT_EQ(comparison.judgement().verdict, Verdict::passed) << comparison.judgement().why;
}

// What the recorded program passes to Keras, as JSON.
constexpr std::pair<const char*, const char*> refusals[] = {
    {"two_clips", R"({"class_name": "SGD", "config": {"clipnorm": 1.0, "clipvalue": 1.0}})"},
    {"clip_and_global", R"({"class_name": "SGD", "config": {"clipnorm": 1.0, "global_clipnorm": 1.0}})"},
    {"momentum_above_1", R"({"class_name": "SGD", "config": {"momentum": 1.5}})"},
    {"ema_momentum", R"({"class_name": "SGD", "config": {"use_ema": true, "ema_momentum": 1.5}})"},
    {"ema_frequency",
     R"({"class_name": "SGD", "config": {"use_ema": true, "ema_overwrite_frequency": 0.5}})"},
    {"unknown_argument", R"({"class_name": "SGD", "config": {"rate": 0.1}})"},
    {"unknown_name", R"("nothing")"},
    {"accumulation_1", R"({"class_name": "SGD", "config": {"gradient_accumulation_steps": 1}})"},
    {"adamw_no_decay", R"({"class_name": "AdamW", "config": {"weight_decay": null}})"},
    {"ftrl_accumulator", R"({"class_name": "Ftrl", "config": {"initial_accumulator_value": -1.0}})"},
    {"ftrl_power", R"({"class_name": "Ftrl", "config": {"learning_rate_power": 0.5}})"},
    {"cosine_pieces",
     R"({"class_name": "SGD", "config": {"learning_rate": {"class_name": "PiecewiseConstantDecay",
                          "config": {"boundaries": [1, 2], "values": [0.1, 0.2]}}}})"},
};

TEST_P(EveryKeras, RefusesTheOptionsThatKerasRefuses) {
  const Recording& recording = recordings().named(GetParam(), "optimizer_refusals");
  for (const auto& [name, written] : refusals) {
    Problems problems;
    model::read_optimizer(json::parse(written, name), problems, recording.semantics());
    EXPECT_EQ(problems.any(), recording.error_text(name).has_value()) << name;
  }
}

// A schedule that returns text in the place of a rate. TensorFlow says so at the beginning of the first epoch.
TEST_P(EveryKeras, OfARateThatIsNoNumberIsRefused) {
  const Recording& recording = recordings().named(GetParam(), "callback_rate_scheduler_bad_value");
  EXPECT_TRUE(recording.error_text("fit").value().ends_with("float. Got: fast"));
  scenario::Reading reading;
  scenario::read_callback(
      json::parse(R"({"type": "LearningRateScheduler", "schedule": ["fast"]})", "callbacks"), reading);
  ASSERT_EQ(reading.problems.found().size(), 1U);
  EXPECT_EQ(reading.problems.found()[0].fact, "expected a number, found a string");
}

}  // namespace
}  // namespace wt::recordings
