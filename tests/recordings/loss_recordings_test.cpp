// Claims: losses, activations, regularizers and constraints compute what TensorFlow recorded, with the same gradients and
// refusals; a masked loss, labels beyond the classes, and wrong shapes, names and reductions behave as in the recorded
// programs loss_masked, loss_sparse_out_of_range, loss_refusals and identifiers; a fit with class weights has the recorded losses.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/temporary_folder.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/sequential.h"
#include "recordings/packed_recordings.h"
#include "study/recordings/calls.h"
#include "study/recordings/judge.h"
#include "study/recordings/machine.h"
#include "train/function.h"
#include "train/model.h"

namespace wt::recordings {
namespace {

const PackedRecordings& recordings() {
  static const PackedRecordings packed({"losses_metrics.tar.gz", "further_losses.tar.gz"});
  return packed;
}

class OfLosses : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Recordings, OfLosses, testing::Values("keras2", "keras3"),
                         [](const auto& test) { return test.param; });

void expect_passes(const std::string& version, const std::string& family, std::size_t count) {
  std::size_t passed = 0;
  for (const Recording& recording : recordings().all()) {
    if (recording.version != version || !recording.id.starts_with(family)) continue;
    if (recording.value("config") == nullptr) continue;
    const Judgement judgement = judge(recording);
    if (judgement.verdict == Verdict::not_applicable) continue;
    ++passed;
    EXPECT_EQ(judgement.verdict, Verdict::passed) << recording.id << ": " << judgement.why;
  }
  EXPECT_EQ(passed, count);
}

TEST_P(OfLosses, LossesPass) { expect_passes(GetParam(), "loss_", GetParam() == "keras2" ? 82 : 99); }
TEST_P(OfLosses, ActivationsPass) {
  expect_passes(GetParam(), "activation_", GetParam() == "keras2" ? 26 : 56);
}
TEST_P(OfLosses, RegularizersPass) {
  expect_passes(GetParam(), "regularizer_", GetParam() == "keras2" ? 14 : 15);
}
TEST_P(OfLosses, ConstraintsPass) {
  expect_passes(GetParam(), "constraint_", GetParam() == "keras2" ? 14 : 13);
}

model::Loss loss(std::string_view name, model::LossReduction reduction, bool from_logits = false) {
  return model::loss_named(name, {.from_logits = from_logits, .reduction = reduction});
}

// ---- Programs

TEST_P(OfLosses, TheProgramLossMaskedIsRepeated) {
  const Recording& recording = recordings().named(GetParam(), "loss_masked");
  const std::map<std::string, Tensor> tensors = recording.tensors();
  Comparison comparison;
  Calls calls(recording, comparison);
  std::size_t repeated = 0;
  for (const std::string reduction :
       {"none", "sum", "sum_over_batch_size", "mean", "mean_with_sample_weight"})
    for (const std::string weight : {"none", "rows"}) {
      const std::string call = reduction + "/" + weight;
      if (!tensors.contains(call + "/value") && !recording.error_text(call)) continue;
      ++repeated;
      std::vector<Tensor> given{tensors.at("y_true"), tensors.at("y_pred"), tensors.at("mask")};
      if (weight == "rows") given.push_back(tensors.at("weights"));
      calls.add(call, given, [=](const std::vector<Symbol>& x, model::Semantics semantics) {
        const model::Loss squared = loss("mse", *model::reduction_named(reduction));
        const std::optional<Symbol> weights = x.size() > 3 ? std::optional(x[3]) : std::nullopt;
        return std::vector{model::reduce_loss(
            model::weighted_losses(squared, x[0], x[1], semantics, {.weight = weights, .mask = x[2]}),
            squared.options.reduction)};
      });
    }
  calls.compare({.of_largest = loss_limit});
  EXPECT_EQ(repeated, GetParam() == "keras2" ? 6 : 10);
  EXPECT_EQ(comparison.judgement().verdict, Verdict::passed) << comparison.judgement().why;
}

// What a loss says of such tensors, or "accepted".
std::string refusal_of(const model::Loss& loss, model::Semantics semantics, std::vector<Tensor> given) {
  Machine machine;
  train::State state(1);
  train::Function call(
      "call", state, machine, train::Function::Mode::inference,
      [&](model::Building&, const std::vector<Symbol>& x) {
        const std::optional<Symbol> weight = x.size() > 2 ? std::optional(x[2]) : std::nullopt;
        return std::vector{model::reduce_loss(
            model::weighted_losses(loss, x[0], x[1], semantics, {.weight = weight, .mask = {}}),
            loss.options.reduction)};
      },
      semantics);
  try {
    call.run({given});
  } catch (const InputError& error) {
    return error.problems().front().fact;
  }
  return "accepted";
}

// TensorFlow names the first label that is no class, and the range.
TEST_P(OfLosses, TheProgramLossSparseOutOfRangeIsRefused) {
  const Recording& recording = recordings().named(GetParam(), "loss_sparse_out_of_range");
  const Tensor predictions = recording.tensors().at("y_pred");
  struct Wrong {
    std::string name{};
    std::vector<std::int64_t> labels{};
    std::int64_t value = 0;
  };
  for (const Wrong& wrong : {Wrong{"above", {0, 3}, 3}, Wrong{"below", {-1, 1}, -1}})
    for (const bool from_logits : {false, true}) {
      const std::string call = wrong.name + (from_logits ? "/logits" : "/probabilities");
      SCOPED_TRACE(call);
      const std::string text = recording.error_text(call).value_or("accepted");
      EXPECT_TRUE(text.starts_with(fmt::format("Received a label value of {} ", wrong.value))) << text;
      const std::string refusal =
          refusal_of(loss("SparseCategoricalCrossentropy", model::LossReduction::none, from_logits),
                     recording.semantics(), {Tensor::of<std::int64_t>({2}, wrong.labels), predictions});
      EXPECT_NE(refusal.find(fmt::format("label {} in row", wrong.value)), std::string::npos) << refusal;
    }
}

// The recorded tensors are all zeros.
struct Refused {
  std::string recorded{};
  std::string loss{};
  std::vector<Shape> shapes{};  // of labels, predictions, and weights
};

TEST_P(OfLosses, TheProgramLossRefusalsIsRefused) {
  const Recording& recording = recordings().named(GetParam(), "loss_refusals");
  const std::vector<Refused> all{{"shapes", "mse", {{3, 4}, {3, 5}}},
                                 {"onehot_shapes", "CategoricalCrossentropy", {{3, 4}, {3, 5}}},
                                 {"sparse_shapes", "SparseCategoricalCrossentropy", {{4}, {3, 5}}},
                                 {"weights", "mse", {{3, 4}, {3, 4}, {2}}},
                                 {"one_class", "CategoricalCrossentropy", {{3, 1}, {3, 1}}}};
  for (const Refused& each : all) {
    SCOPED_TRACE(each.recorded);
    std::vector<Tensor> given;
    for (const Shape& shape : each.shapes) given.push_back(Tensor::zeros({Type::float32, shape}));
    const json::Value* error = recording.error(each.recorded);
    const bool is_accepted = error->find("type")->kind() == json::Kind::null;
    EXPECT_EQ(refusal_of(loss(each.loss, model::LossReduction::auto_), recording.semantics(), given),
              is_accepted ? "accepted" : error->find("sentence")->string());
  }
  const std::string of_ctc =
      refusal_of(loss("CTC", model::LossReduction::auto_), recording.semantics(),
                 {Tensor::zeros({Type::float32, {2}}), Tensor::zeros({Type::float32, {2, 3}})});
  EXPECT_EQ(of_ctc, GetParam() == "keras2" ? "[CTC] Keras 2 has no such loss" : *recording.error_text("ctc"));
  EXPECT_FALSE(model::reduction_named("average"));
  EXPECT_THROW(model::loss_named("nothing"), InputError);
}

// Each name is one of Keras' function, or Keras has none of it.
TEST_P(OfLosses, TheProgramLossRefusalsFindsItsNames) {
  const Recording& recording = recordings().named(GetParam(), "loss_refusals");
  std::size_t found = 0;
  for (const json::Member& member : recording.content.find("values")->members()) {
    if (!member.key.starts_with("get/")) continue;
    const std::string name = member.key.substr(4);
    if (member.value.kind() == json::Kind::null) {
      EXPECT_THROW(model::require_offered(model::loss_named(name), recording.semantics()), InputError)
          << name;
      continue;
    }
    ++found;
    EXPECT_NO_THROW(model::require_offered(model::loss_named(name), recording.semantics())) << name;
    EXPECT_EQ(model::loss_named(member.key.substr(4)).type->aliases[0], member.value.string());
  }
  EXPECT_EQ(found, GetParam() == "keras2" ? 15 : 14);
}

// Keras knows a name exactly where it is offered.
TEST_P(OfLosses, TheProgramIdentifiersFindsTheNamesOfItsVersion) {
  const Recording& recording = recordings().named(GetParam(), "identifiers");
  std::size_t known = 0, unknown = 0;
  const auto is_offered = [&](std::string_view kind, std::string_view name) {
    try {
      if (kind == "losses")
        model::require_offered(model::loss_named(name), recording.semantics());
      else
        model::require_offered(model::metric_named(name), recording.semantics());
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  for (const json::Member& member : recording.content.find("values")->members()) {
    const std::string_view key = member.key;
    const std::size_t slash = key.find('/');
    ++(member.value.boolean() ? known : unknown);
    EXPECT_EQ(is_offered(key.substr(0, slash), key.substr(slash + 1)), member.value.boolean()) << key;
  }
  EXPECT_EQ(known, GetParam() == "keras2" ? 123 : 150);
  EXPECT_EQ(known + unknown, 246);
}

// fit, whose class weights evaluate does without.
TEST_P(OfLosses, TheProgramFitClassWeightIsRepeated) {
  const Recording& recording = recordings().named(GetParam(), "fit_class_weight");
  const std::map<std::string, Tensor> recorded = recording.tensors();
  Machine machine;
  train::State state(1);
  state.preset({{"dense/kernel", recorded.at("kernel")}, {"dense/bias", recorded.at("bias")}});
  const auto layer = model::sequential(
      "net", {model::input_layer({4}), model::dense({.units = 3, .activation = "softmax"})});
  train::Model net(layer, state, machine);
  train::CompileOptions options{.loss = model::loss_named("sparse_categorical_crossentropy"),
                                .optimizer = model::optimizer_named("sgd"),
                                .metrics = {{model::metric_named("accuracy")}},
                                .class_weight = {{0, 1}, {1, 2.5}, {2, 0.25}},
                                .semantics = recording.semantics()};
  options.optimizer.learning_rate = 0.5;
  net.compile(options);
  const data::Dataset rows = data::Dataset::from_tensor_slices({recorded.at("x"), recorded.at("y")}).batch(3);
  const std::vector<train::EpochResult> history = net.fit(rows, {.epochs = 3});
  Comparison comparison;
  for (std::size_t epoch = 0; epoch < history.size(); ++epoch) {
    comparison.near("the loss", history[epoch].loss, recorded.at("fit/loss").values<float>()[epoch]);
    comparison.near("the accuracy", history[epoch].metrics.at(0).value,
                    recorded.at("fit/accuracy").values<float>()[epoch]);
  }
  comparison.near("the kernel", state.read("dense/kernel"), recorded.at("trained/kernel"), weight_limit);
  comparison.near("the bias", state.read("dense/bias"), recorded.at("trained/bias"), weight_limit);
  comparison.near("evaluate", net.evaluate(rows).loss, recorded.at("evaluate").values<float>()[0]);
  EXPECT_EQ(comparison.judgement().verdict, Verdict::passed) << comparison.judgement().why;
}

}  // namespace
}  // namespace wt::recordings
