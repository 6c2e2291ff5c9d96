// Recordings `training_mixed_...`: fit under a mixed policy on one device or under MirroredStrategy. The optimizer, the
// loss and the number of epochs are the same in all of them, so they are in the recorded program and not in its
// configuration.

#include <fmt/format.h>

#include "model/keras_json.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/weights.h"
#include "study/recordings/comparison.h"
#include "study/recordings/families.h"
#include "study/recordings/half_nets.h"
#include "study/recordings/machine.h"
#include "train/model.h"

namespace wt::recordings {

namespace {

constexpr std::int64_t epochs = 3, steps_per_epoch = 2, all_steps = epochs * steps_per_epoch;

// "mirrored2" has two replicas, "default" one.
std::int64_t replicas_of(const Recording& recording) {
  const std::string& strategy = recording.config("strategy")->string();
  return strategy.starts_with("mirrored") ? std::stoll(strategy.substr(8)) : 1;
}

model::Optimizer optimizer_for(std::string_view policy, model::Semantics semantics) {
  model::Optimizer sgd = model::optimizer_named("SGD", semantics);
  sgd.learning_rate = 0.1;
  if (policy == "mixed_float16")
    sgd.scaled_loss = model::ScaledLoss{.initial_scale = 1024, .growth_steps = 2};
  return sgd;
}

class MixedTraining {
 public:
  MixedTraining(const Recording& recording, Comparison& comparison)
      : recording_(recording),
        comparison_(comparison),
        policy_(recording.config("policy")->string()),
        layer_(model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"))),
        tensors_(recording.tensors()),
        optimizer_(optimizer_for(policy_, recording.semantics())),
        machine_(replicas_of(recording)) {
    state_.preset(weights("initial"));
    model_.compile({.loss = model::loss_named("SparseCategoricalCrossentropy", {.from_logits = true}),
                    .optimizer = optimizer_,
                    .metrics = {.of_all = {model::metric_named("accuracy")}},
                    .semantics = recording.semantics()});
  }

  void compare() {
    model_.training_plan(*rows({tensors_.at("x"), tensors_.at("y")}).iterate().next());
    comparison_.starts_to_compute();
    compare_types();
    fit();
    compare_scale();
    if (!has_numbers_of_halves(policy_, recording_)) return;
    const Tensors ours = model_.weights();
    for (const auto& [name, theirs] : weights("final"))
      comparison_.near(name, ours.at(name), theirs, limit_after(all_steps));
    predict();
  }

 private:
  // Each step may add what the layers may. It does so where TensorFlow's CPU multiplies bfloat16, whose products it cuts
  // off and does not round, and a relu's input is near 0.
  double limit_after(std::int64_t steps) const {
    return limit_of_halves(policy_, *layer_) * static_cast<double>(steps);
  }

  Tensors weights(const std::string& when) const {
    return recorded_weights(when, tensors_, *layer_, recording_.semantics());
  }

  data::Dataset rows(const std::vector<Tensor>& columns) const {
    return data::Dataset::from_tensor_slices(columns).batch(recording_.config("batch")->integer());
  }

  void compare_types() {
    const model::Forward forward = model::forward(*layer_, 1, true, recording_.semantics());
    const json::Value::Elements& types = recording_.value("weight dtypes")->elements();
    for (std::size_t i = 0; i < types.size(); ++i)  // "float32", or "<dtype: 'float32'>"
      if (types[i].string().find(name(forward.weights.at(i).spec.type)) == std::string::npos)
        comparison_.fail(fmt::format("weight {} is {}, recorded {}", i, name(forward.weights[i].spec.type),
                                     types[i].string()));
    comparison_.same("the type of the output", name(forward.outputs.front().type),
                     recording_.value("output dtype")->string());
  }

  void fit() {
    const json::Value& history = *recording_.value("history");
    model_.fit(rows({tensors_.at("x"), tensors_.at("y")}),
               {.epochs = epochs, .on_epoch = [&](const train::EpochResult& epoch) {
                  if (!has_numbers_of_halves(policy_, recording_)) return;
                  const auto compare = [&](std::string_view key, double ours) {
                    comparison_.near(
                        fmt::format("{} of epoch {}", key, epoch.epoch + 1), ours,
                        number_of(history.find(key)->elements().at(static_cast<std::size_t>(epoch.epoch))),
                        limit_after((epoch.epoch + 1) * steps_per_epoch));
                  };
                  compare("loss", epoch.loss);
                  for (const train::Log& metric : epoch.metrics) compare(metric.name, metric.value);
                }});
  }

  void compare_scale() {
    const json::Value::Elements& recorded = recording_.value("scale")->elements();
    if (recorded.empty() != !optimizer_.scaled_loss) comparison_.fail("one of both does not scale the loss");
    for (const json::Value& scale : recorded)
      comparison_.near(
          "the loss scale",
          static_cast<double>(state_.read(model::loss_scale_name(optimizer_)).values<float>()[0]),
          number_of(scale));
  }

  // The program converts predictions to float32 before it records them.
  void predict() {
    const Tensor ours = model_.predict(rows({tensors_.at("x")}));
    comparison_.near("predictions", ours, tensors_.at("predictions"), limit_after(all_steps));
  }

  const Recording& recording_;
  Comparison& comparison_;
  std::string policy_;
  model::LayerPtr layer_;
  Tensors tensors_;
  model::Optimizer optimizer_;
  Machine machine_;
  train::State state_{1};
  train::Model model_{layer_, state_, machine_};
};

}  // namespace

void compare_mixed_training(const Recording& recording, Comparison& comparison) {
  MixedTraining(recording, comparison).compare();
}

}  // namespace wt::recordings
