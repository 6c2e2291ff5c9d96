// Recordings of the kind `precision`: a small net under a policy of types. Types and numbers of one forward and backward
// pass, then some steps of training by Keras' own loop, with the loss scale after each.

#include <fmt/format.h>

#include "base/json_writer.h"
#include "model/keras_json.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "study/recordings/calls.h"
#include "study/recordings/families.h"
#include "study/recordings/half_nets.h"
#include "study/recordings/machine.h"
#include "train/model.h"

namespace wt::recordings {

namespace {

// [batches, rows, ...] as rows below each other.
Tensor all_rows(const Tensor& batches) {
  Shape shape{batches.shape()[0] * batches.shape()[1]};
  for (int axis = 2; axis < batches.shape().rank(); ++axis) shape.append(batches.shape()[axis]);
  return batches.reshaped(shape);
}

json::Value optimizer_as_written(const Recording& recording) {
  const json::Value::Elements& written = recording.config("optimizer")->elements();
  const json::Value inner = written_object(written.at(0).string(), written.at(1));
  const json::Value* scale = recording.config("scale");
  if (scale == nullptr || scale->kind() == json::Kind::null) return inner;
  json::Writer out;
  out.begin_object().member("class_name", "LossScaleOptimizer").key("config").begin_object();
  json::write_value(out.key("inner_optimizer"), inner);
  for (const json::Member& option : scale->members()) json::write_value(out.key(option.key), option.value);
  out.end_object().end_object();
  return json::parse(out.text(), "optimizer");
}

model::Optimizer written_optimizer(const Recording& recording) {
  Problems problems;
  const std::optional<model::Optimizer> optimizer =
      model::read_optimizer(optimizer_as_written(recording), problems, recording.semantics());
  problems.throw_if_any();
  return *optimizer;
}

class RepeatedNet {
 public:
  RepeatedNet(const Recording& recording, Comparison& comparison)
      : recording_(recording),
        comparison_(comparison),
        layer_(model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"))),
        tensors_(recording.tensors()),
        optimizer_(model::scaled_by_policy(written_optimizer(recording), *layer_)),
        limit_(limit_of_halves(recording.config("policy")->string(), *layer_)) {
    state_.preset(weights("initial"));
    model_.compile({.loss = model::loss_named(recording.config("loss")->string()),
                    .optimizer = optimizer_,
                    .semantics = recording.semantics()});
  }

  void compare() {
    model_.training_plan(*rows().iterate().next());
    comparison_.starts_to_compute();
    look();
    comparison_.same("the optimizer", optimizer_.scaled_loss ? "LossScaleOptimizer" : optimizer_.type->name,
                     recorded_optimizer());
    train();
    if (!has_numbers()) return;
    compare_weights("final");
    predict();
  }

 private:
  bool has_numbers() const {
    return has_numbers_of_halves(recording_.config("policy")->string(), recording_);
  }

  void near(const std::string& what, const Tensor& ours, const Tensor& theirs, double limit) {
    if (has_numbers()) comparison_.near(what, ours, theirs, std::max(limit, limit_));
  }

  // ---- One pass, without an update

  // The results are the loss, each layer's output, and the gradients of the variables and of those outputs.
  std::vector<Symbol> pass(model::Building& building, const std::vector<Symbol>& batch) {
    std::vector<Symbol> results(1);
    Symbol x = batch[0];
    for (const std::shared_ptr<model::Layer>& layer : layer_->parts()) {
      x = (*layer)(building, x);
      if (layer->class_name() != "InputLayer") results.push_back(x);
    }
    const Symbol last = x.spec().type == Type::float32 ? x : cast(x, Type::float32);
    results[0] = reduce_mean(square(last - batch[1]));
    std::vector<Symbol> of = building.trainable();
    of.insert(of.end(), results.begin() + 1, results.end());
    const std::vector<Symbol> gradients = building.trace().gradient(results[0], of);
    results.insert(results.end(), gradients.begin(), gradients.end());
    return results;
  }

  void look() {
    train::State state(1);  // of its own: batch normalization moves its statistics
    state.preset(weights("initial"));
    train::Function pass(
        "look", state, machine_, train::Function::Mode::training,
        [this](model::Building& building, const std::vector<Symbol>& batch) {
          return this->pass(building, batch);
        },
        recording_.semantics());
    const std::vector<Tensor> ours = pass({first(tensors_.at("x")), first(tensors_.at("y"))});
    near("look/loss", ours[0], tensors_.at("look/loss"), loss_limit);
    std::size_t at = 1;
    compare_all("activation", "activation_dtypes", ours, at);
    compare_all("grad", "gradient_dtypes", ours, at);
    compare_all("activation_grad", "activation_gradient_dtypes", ours, at);
  }

  void compare_all(std::string_view what, std::string_view types, const std::vector<Tensor>& ours,
                   std::size_t& at) {
    std::size_t i = 0;
    for (const json::Value& type : recording_.value(types)->elements()) {
      const std::string name = fmt::format("look/{}{:02}", what, i++);
      const Tensor& own = ours.at(at++);
      if (type.kind() == json::Kind::null) continue;
      comparison_.same("the type of " + name, wt::name(own.type()), type.string());
      near(name, own, tensors_.at(name), weight_limit);
    }
  }

  // ---- Training

  void train() {
    const auto losses = tensors_.at("losses").values<float>();
    model_.fit(rows(), {.epochs = std::ssize(losses),
                        .steps_per_epoch = 1,
                        .on_epoch = [&](const train::EpochResult& epoch) {
                          const auto step = static_cast<std::size_t>(epoch.epoch);
                          near(fmt::format("the loss of step {}", step + 1),
                               Tensor::of<float>({}, {static_cast<float>(epoch.loss)}),
                               Tensor::of<float>({}, {losses[step]}), loss_limit);
                          if (has_numbers()) compare_weights(fmt::format("weights/step{}", step + 1));
                          compare_scale(step);
                        }});
  }

  void compare_scale(std::size_t step) {
    const json::Value& row = recording_.value("scale_by_step")->elements().at(step);
    const auto compare = [&](std::string_view key, const std::string& variable) {
      const json::Value* theirs = row.find(key);
      if (theirs->kind() == json::Kind::null) return;
      const Tensor ours = state_.read(variable);
      const double number = ours.type() == Type::int64 ? static_cast<double>(ours.values<std::int64_t>()[0])
                                                       : static_cast<double>(ours.values<float>()[0]);
      comparison_.near(fmt::format("{} after step {}", key, step + 1), number, number_of(*theirs));
    };
    compare("iterations", model::iteration_name(optimizer_));
    if (!optimizer_.scaled_loss || !optimizer_.scaled_loss->is_dynamic) return;
    compare("scale", model::loss_scale_name(optimizer_));
    compare("counter", model::finite_steps_name(optimizer_));
  }

  void predict() {
    const data::Dataset first =
        data::Dataset::from_tensor_slices({this->first(tensors_.at("x"))}).batch(tensors_.at("x").shape()[1]);
    const Tensor ours = model_.predict(first);
    comparison_.same("the type of predictions", wt::name(ours.type()),
                     recording_.value("predict_dtype")->string());
    near("predict", ours, tensors_.at("predict"), prediction_limit);
  }

  // ---- What is recorded

  std::string recorded_optimizer() const {
    std::string name = recording_.value("compiled_optimizer")->string();
    return name == "LossScaleOptimizerV3" ? "LossScaleOptimizer" : name;
  }

  data::Dataset rows() const {
    return data::Dataset::from_tensor_slices({all_rows(tensors_.at("x")), all_rows(tensors_.at("y"))})
        .batch(tensors_.at("x").shape()[1]);
  }

  static Tensor first(const Tensor& batches) { return all_rows(batches.rows(0, 1)).copy(); }

  Tensors weights(const std::string& when) const {
    return recorded_weights(when, tensors_, *layer_, recording_.semantics());
  }

  void compare_weights(const std::string& when) {
    const Tensors ours = model_.weights();
    for (const auto& [name, theirs] : weights(when))
      near(fmt::format("{} of {}", name, when), ours.at(name), theirs, weight_limit);
  }

  const Recording& recording_;
  Comparison& comparison_;
  model::LayerPtr layer_;
  Tensors tensors_;
  model::Optimizer optimizer_;
  double limit_;
  Machine machine_{};
  train::State state_{1};
  train::Model model_{layer_, state_, machine_};
};

}  // namespace

void compare_precision(const Recording& recording, Comparison& comparison) {
  RepeatedNet(recording, comparison).compare();
}

}  // namespace wt::recordings
