// Recordings of the kind `layers`: a small model around one layer, trained for a few steps. Compared are its
// predictions before and after, losses and metrics of each step and of a test, and the weights after the first and
// the last step.

#include <fmt/format.h>

#include <algorithm>

#include "model/keras_json.h"
#include "model/weights.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "study/recordings/trainings.h"
#include "train/model.h"

namespace wt::recordings {

namespace {

using Tensors = std::map<std::string, Tensor>;

// Short names that the recorded program gives to losses on logits.
model::Loss loss_of(const std::string& name) {
  if (name == "scce") return model::loss_named("SparseCategoricalCrossentropy", {.from_logits = true});
  if (name == "bce") return model::loss_named("BinaryCrossentropy", {.from_logits = true});
  return model::loss_named(name);
}

std::vector<std::string> texts_in(const json::Value& value) {
  if (value.kind() == json::Kind::string) return {value.string()};
  std::vector<std::string> texts;
  for (const json::Value& element : value.elements()) {
    const std::vector<std::string> inner = texts_in(element);
    texts.insert(texts.end(), inner.begin(), inner.end());
  }
  return texts;
}

train::CompileOptions options_of(const Recording& recording) {
  train::CompileOptions options{.semantics = recording.semantics()};
  const json::Value& loss = *recording.config("loss");
  options.loss.is_list = loss.kind() == json::Kind::array;
  for (const std::string& each : texts_in(loss)) options.loss.each.push_back(loss_of(each));
  if (const json::Value* weights = recording.config("loss_weights"); weights->kind() == json::Kind::array)
    for (const json::Value& weight : weights->elements()) options.loss.weights.push_back(number_of(weight));
  options.optimizer = model::optimizer_named(recording.config("opt")->string());
  options.optimizer.learning_rate = number_of(*recording.config("learning_rate"));
  const auto named = [](const json::Value& names) {
    std::vector<model::Metric> metrics;
    for (const std::string& each : texts_in(names)) metrics.push_back(model::metric_named(each));
    return metrics;
  };
  const json::Value& metrics = *recording.config("metrics");
  if (!options.loss.is_list)
    options.metrics.of_all = named(metrics);
  else if (metrics.kind() == json::Kind::array)
    for (const json::Value& of_output : metrics.elements())
      options.metrics.of_each.push_back(named(of_output));
  return options;
}

class Repeated {
 public:
  Repeated(const Recording& recording, Comparison& comparison, std::int64_t replicas = 1)
      : recording_(recording),
        comparison_(comparison),
        layer_(read_model()),
        tensors_(recording.tensors()),
        batch_(recording.config("batch")->integer()),
        machine_(replicas) {
    match_names();
    state_.preset(weights("initial"));
    model_.compile(options_of(recording));
    auto first = train_rows().iterate();
    model_.training_plan(*first.next());
  }

  // Each batch has its rows `copies` times.
  Training train(std::int64_t copies) {
    Training training;
    const std::int64_t steps = std::ssize(recording_.value("steps")->elements());
    model_.fit(repeated_rows(copies),
               {.epochs = steps, .steps_per_epoch = 1, .on_epoch = [&](const train::EpochResult& epoch) {
                  training.losses.push_back(epoch.loss);
                }});
    training.weights = model_.weights();
    return training;
  }

  void compare() {
    comparison_.starts_to_compute();
    compare_predictions("predict_initial");
    const json::Value::Elements& steps = recording_.value("steps")->elements();
    model_.fit(
        train_rows(),
        {.epochs = std::ssize(steps), .steps_per_epoch = 1, .on_epoch = [&](const train::EpochResult& epoch) {
           compare_logs(fmt::format("step {}", epoch.epoch + 1), epoch,
                        steps[static_cast<std::size_t>(epoch.epoch)]);
           if (epoch.epoch == 0) compare_weights("step1");
         }});
    compare_weights("final");
    compare_logs("test", model_.evaluate(train_rows().take(1)), *recording_.value("test"));
    compare_predictions("predict_final");
  }

 private:
  model::LayerPtr read_model() const {
    const json::Value* text = recording_.text("model.json");
    if (text == nullptr)
      throw InputError("Keras writes no JSON for this model", "build it from layers that Keras can write");
    return model::model_from_json(with_boundaries(json::parse(text->string(), "model.json")));
  }

  // Keras 2 keeps the boundaries that a Discretization has adapted to out of the JSON. A user has to write them there.
  json::Value with_boundaries(json::Value tree) const {
    const json::Value* boundaries = recording_.value("bin_boundaries");
    if (boundaries == nullptr) return tree;
    const json::Value::Elements& layers = tree.find("config")->find("layers")->elements();
    for (std::size_t i = 0; i < layers.size(); ++i)
      for (const json::Member& layer : boundaries->members())
        if (const json::Value* name = layers[i].find("name"); name != nullptr && name->string() == layer.key)
          return json::replaced(
              tree,
              std::vector<std::string>{"config", "layers", std::to_string(i), "config", "bin_boundaries"},
              layer.value);
    return tree;
  }

  // What `adapt` has counted, from which Keras 2 computes the boundaries of a Discretization.
  bool is_compared(const std::string& recorded) const {
    return tensors_.at(recorded).type() == Type::float32 && !recorded.ends_with("/summary");
  }

  // Finds the name here of each of Keras' paths. A path may begin with the model that a layer is in. The two versions of
  // Keras name the weights of some layers differently, so that of those without a match the first with the same shape
  // is taken.
  void match_names() {
    std::vector<model::Weight> own = model::weights_of(*layer_, recording_.semantics());
    std::vector<std::string> unmatched;
    const auto take = [&](const std::string& path, const auto& is_it) {
      const auto found = std::ranges::find_if(own, is_it);
      if (found == own.end()) return false;
      names_[path] = found->name;
      own.erase(found);
      return true;
    };
    for (const auto& [recorded, tensor] : tensors_) {
      if (!recorded.starts_with("initial/") || !is_compared(recorded)) continue;
      const std::string path = recorded.substr(11);
      if (!take(path, [&](const model::Weight& w) { return w.name == path || path.ends_with("/" + w.name); }))
        unmatched.push_back(recorded);
    }
    for (const std::string& recorded : unmatched)
      take(recorded.substr(11),
           [&](const model::Weight& w) { return w.spec == tensors_.at(recorded).spec(); });
  }

  // "initial/07/dense/kernel" by the names here. Seeds and counters, which are integers, are not compared.
  Tensors weights(const std::string& when) {
    Tensors found;
    for (const auto& [recorded, tensor] : tensors_) {
      if (!recorded.starts_with(when + "/") || !is_compared(recorded)) continue;
      const std::string path = recorded.substr(when.size() + 4);
      if (names_.contains(path))
        found.emplace(names_.at(path), tensor);
      else
        comparison_.fail(fmt::format("no weight here is {}", path));
    }
    return found;
  }

  std::vector<Tensor> numbered(char letter) const {
    std::vector<Tensor> found;
    for (int i = 0; tensors_.contains(fmt::format("{}{}", letter, i)); ++i)
      found.push_back(tensors_.at(fmt::format("{}{}", letter, i)));
    return found;
  }

  std::vector<Tensor> inputs_and_labels() const {
    std::vector<Tensor> rows = numbered('x');
    for (const Tensor& labels : numbered('y')) rows.push_back(labels);
    return rows;
  }
  data::Dataset train_rows() const {
    return data::Dataset::from_tensor_slices(inputs_and_labels()).batch(batch_);
  }

  data::Dataset repeated_rows(std::int64_t copies) const {
    std::vector<Tensor> all;
    for (const Tensor& once : inputs_and_labels()) {
      TensorSpec spec = once.spec();
      spec.shape[0] *= copies;
      Tensor more = Tensor::zeros(spec);
      const std::size_t bytes = once.bytes().size() / static_cast<std::size_t>(once.shape()[0] / batch_);
      for (std::size_t at = 0; at < more.bytes().size(); at += bytes)
        std::ranges::copy(once.bytes().subspan(at / bytes / static_cast<std::size_t>(copies) * bytes, bytes),
                          more.bytes().subspan(at, bytes).begin());
      all.push_back(std::move(more));
    }
    return data::Dataset::from_tensor_slices(all).batch(batch_ * copies);
  }

  void compare_predictions(const std::string& name) {
    const std::vector<Tensor> outputs =
        model_.predict_outputs(data::Dataset::from_tensor_slices(numbered('x')).batch(batch_).take(1));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string recorded = outputs.size() == 1 ? name : fmt::format("{}/{}", name, i);
      const Tensor& theirs = tensors_.at(recorded);
      comparison_.same(recorded + "'s type", wt::name(outputs[i].type()), wt::name(theirs.type()));
      comparison_.near(recorded, outputs[i], theirs, prediction_limit);
    }
  }

  void compare_weights(const std::string& when) {
    const Tensors ours = model_.weights();
    for (const auto& [name, theirs] : weights(when))
      comparison_.near(fmt::format("{} of {}", name, when), ours.at(name), theirs, weight_limit);
  }

  void compare_logs(const std::string& when, const train::EpochResult& ours, const json::Value& theirs) {
    comparison_.near("the loss of " + when, ours.loss, number_of(*theirs.find("loss")));
    for (const train::Log& log : ours.metrics)
      if (const json::Value* recorded = theirs.find(log.name))
        comparison_.near(fmt::format("{} of {}", log.name, when), log.value, number_of(*recorded));
      else
        comparison_.fail(fmt::format("no metric of {} is {}", when, log.name));
  }

  const Recording& recording_;
  Comparison& comparison_;
  model::LayerPtr layer_;
  Tensors tensors_;
  std::int64_t batch_;
  std::map<std::string, std::string> names_{};  // of weights, by Keras' path
  Machine machine_;
  train::State state_{1};
  train::Model model_{layer_, state_, machine_};
};

}  // namespace

Training repeat_training(const Recording& recording, std::int64_t replicas, std::int64_t copies) {
  Comparison unused;
  return Repeated(recording, unused, replicas).train(copies);
}

void compare_training(const Recording& recording, Comparison& comparison) {
  if (const json::Value* layer = recording.config("layer"))
    throw InputError(fmt::format("{}: the numbers that TensorFlow draws for a seed are not reproduced",
                                 layer->string().substr(0, layer->string().find('('))));
  Repeated(recording, comparison).compare();
}

}  // namespace wt::recordings
