// Recordings of the kind `precision`: a small net under a policy of types, trained for some steps of a batch each. Only
// float32 is computed here: the JSON of a net with another policy is refused with the layer's name.

#include <fmt/format.h>

#include "base/json_writer.h"
#include "model/keras_json.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/weights.h"
#include "study/recordings/calls.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "train/model.h"

namespace wt::recordings {

namespace {

using Tensors = std::map<std::string, Tensor>;

// [batches, rows, ...] as rows below each other.
Tensor all_rows(const Tensor& batches) {
  Shape shape{batches.shape()[0] * batches.shape()[1]};
  for (int axis = 2; axis < batches.shape().rank(); ++axis) shape.append(batches.shape()[axis]);
  return batches.reshaped(shape);
}

model::Optimizer written_optimizer(const Recording& recording) {
  const json::Value::Elements& written = recording.config("optimizer")->elements();
  Problems problems;
  const std::optional<model::Optimizer> optimizer = model::read_optimizer(
      written_object(written.at(0).string(), written.at(1)), problems, recording.semantics());
  problems.throw_if_any();
  return *optimizer;
}

class RepeatedNet {
 public:
  RepeatedNet(const Recording& recording, Comparison& comparison)
      : recording_(recording),
        comparison_(comparison),
        layer_(model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"))),
        tensors_(recording.tensors()) {
    state_.preset(weights("initial"));
    model_.compile({.loss = model::loss_named(recording.config("loss")->string()),
                    .optimizer = written_optimizer(recording),
                    .semantics = recording.semantics()});
  }

  void compare() {
    model_.training_plan(*rows().iterate().next());
    comparison_.starts_to_compute();
    const std::span<const float> losses = tensors_.at("losses").values<float>();
    model_.fit(rows(), {.epochs = std::ssize(losses),
                        .steps_per_epoch = 1,
                        .on_epoch = [&](const train::EpochResult& epoch) {
                          comparison_.near(fmt::format("the loss of step {}", epoch.epoch + 1), epoch.loss,
                                           losses[static_cast<std::size_t>(epoch.epoch)]);
                          compare_weights(fmt::format("weights/step{}", epoch.epoch + 1));
                        }});
    compare_weights("final");
    const std::int64_t count = tensors_.at("x").shape()[1];
    const data::Dataset first = data::Dataset::from_tensor_slices({all_rows(tensors_.at("x"))}).batch(count);
    comparison_.near("predict", model_.predict(first.take(1)), tensors_.at("predict"), prediction_limit);
  }

 private:
  data::Dataset rows() const {
    return data::Dataset::from_tensor_slices({all_rows(tensors_.at("x")), all_rows(tensors_.at("y"))})
        .batch(tensors_.at("x").shape()[1]);
  }

  // "initial/00/net/a/kernel" is "a/kernel" here. Keras 2 leaves the name of the net out.
  Tensors weights(const std::string& when) const {
    Tensors found;
    for (const model::Weight& own : model::weights_of(*layer_, recording_.semantics()))
      for (const auto& [recorded, tensor] : tensors_)
        if (recorded.starts_with(when + "/") && recorded.ends_with("/" + own.name))
          found.emplace(own.name, tensor);
    return found;
  }

  void compare_weights(const std::string& when) {
    const Tensors ours = model_.weights();
    for (const auto& [name, theirs] : weights(when))
      comparison_.near(fmt::format("{} of {}", name, when), ours.at(name), theirs, weight_limit);
  }

  const Recording& recording_;
  Comparison& comparison_;
  model::LayerPtr layer_;
  Tensors tensors_;
  Machine machine_{};
  train::State state_{1};
  train::Model model_{layer_, state_, machine_};
};

}  // namespace

void compare_precision(const Recording& recording, Comparison& comparison) {
  RepeatedNet(recording, comparison).compare();
}

}  // namespace wt::recordings
