// Recordings `training_fit_...`: Keras' compile, fit, evaluate and predict under a strategy. Compared are the results that
// callbacks see after each step, those of each epoch, the learning rates, weights and slots at the end, the evaluation, and
// predictions.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "study/recordings/families.h"
#include "study/recordings/training_case.h"
#include "train/callbacks.h"

namespace wt::recordings {

namespace {

bool is_given(const json::Value* value) { return value != nullptr && value->kind() != json::Kind::null; }

std::vector<model::Metric> metrics_named(const json::Value& names) {
  std::vector<model::Metric> metrics;
  for (const json::Value& name : names.elements()) metrics.push_back(model::metric_named(name.string()));
  return metrics;
}

// What is one for each output, and is recorded by their names or in their order.
std::vector<const json::Value*> by_output(const json::Value& written, const model::Layer& layer) {
  std::vector<const json::Value*> values;
  if (written.kind() == json::Kind::array)
    for (const json::Value& each : written.elements()) values.push_back(&each);
  else
    for (const std::string& output : layer.output_names()) values.push_back(written.find(output));
  return values;
}

class FitProgram {
 public:
  FitProgram(const Recording& recording, Comparison& comparison)
      : case_(recording, comparison),
        batch_(recording.config("batch")->integer()),
        epochs_(recording.config("epochs")->integer()),
        options_(compile_options()) {
    compile();
    context_.emplace(train::CallbackContext{.model = *model_,
                                            .state = case_.state,
                                            .optimizer = case_.optimizer,
                                            .semantics = case_.semantics()});
    callbacks_.emplace(callbacks(), *context_);
  }

  void compare() {
    if (!ends_in_error(case_.recording)) model_->training_plan(*dataset().iterate().next());
    case_.comparison.starts_to_compute();
    const auto compare_all = [&] {
      compare_steps();
      compare_epochs();
      case_.compare_end(model_->weights());
      compare_evaluation();
      compare_predictions();
    };
    ends_as_recorded(
        case_.recording, case_.comparison, [&] { fit(); }, compare_all);
  }

 private:
  const json::Value* config(std::string_view key) const { return case_.recording.config(key); }
  // An argument of compile that is not the recorded program's own.
  const json::Value* compiled(std::string_view key) const {
    return is_given(config("compile")) ? config("compile")->find(key) : nullptr;
  }

  // ---- The program

  std::string default_metric() const {
    const std::string& loss = config("loss")->string();
    return loss.starts_with("scce") || loss == "cce_probs" ? "accuracy" : "mae";
  }

  train::CompileOptions compile_options() const {
    train::CompileOptions options{.optimizer = case_.optimizer, .semantics = case_.semantics()};
    const bool has_two_outputs = config("loss")->string() == "two";
    if (has_two_outputs) {
      options.loss.each = {recorded_loss("scce"), recorded_loss("mse")};
      options.loss.is_list = true;
      options.metrics.of_each = {{model::metric_named("accuracy")}, {model::metric_named("mae")}};
    } else {
      options.loss = recorded_loss(config("loss")->string());
      options.metrics.of_all = {model::metric_named(default_metric())};
    }
    if (const json::Value* metrics = compiled("metrics")) {
      options.metrics = {};
      if (is_given(metrics)) options.metrics.of_all = metrics_named(*metrics);
    }
    if (const json::Value* weighted = compiled("weighted_metrics"); is_given(weighted))
      options.weighted_metrics.of_all = metrics_named(*weighted);
    if (const json::Value* weights = compiled("loss_weights"); is_given(weights))
      for (const json::Value* weight : by_output(*weights, *case_.layer))
        options.loss.weights.push_back(number_of(*weight));
    if (const json::Value* eager = compiled("run_eagerly"); is_given(eager))
      options.run_eagerly = eager->boolean();
    if (const json::Value* steps = compiled("steps_per_execution"); is_given(steps))
      options.steps_per_execution = steps->integer();
    if (is_given(config("class_weight")))
      for (const json::Member& weight : config("class_weight")->members())
        options.class_weight[std::stoll(std::string(weight.key))] = number_of(weight.value);
    return options;
  }

  // The scheduler multiplies the rate by 1 in the first epoch and by 0.5 in each further one.
  std::vector<train::Callback> callbacks() const {
    std::vector<train::Callback> all;
    if (!is_given(config("callbacks"))) return all;
    for (const json::Value& name : config("callbacks")->elements()) {
      if (name.string() == "scheduler") {
        train::LearningRateScheduler scheduler;
        double rate = case_.optimizer.learning_rate;
        for (std::int64_t epoch = 0; epoch < epochs_; ++epoch)
          scheduler.schedule.push_back(rate *= epoch < 1 ? 1 : 0.5);
        all.emplace_back(scheduler);
      } else if (name.string() == "plateau") {
        all.emplace_back(train::ReduceLROnPlateau{
            .monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 10, .min_lr = 0.001});
      } else if (name.string() == "stop") {
        all.emplace_back(train::EarlyStopping{.min_delta = 10, .patience = 1, .restore_best_weights = true});
      } else {
        throw InputError(fmt::format("the recorded program has no callback \"{}\"", name.string()));
      }
    }
    return all;
  }

  data::Dataset dataset() const {
    const std::string& form = config("form")->string();
    const data::Dataset rows =
        data::Dataset::from_tensor_slices(case_.weighted_rows()).batch(batch_, form == "dataset_drop");
    return form == "dataset_repeat" ? rows.repeat() : rows;
  }

  // Some programs compile a model outside of the scope in which they made it.
  void compile() {
    {
      const auto scope = case_.strategy.scope();
      model_.emplace(case_.layer, case_.state, case_.strategy.resources());
      if (!config("compiled_outside")->boolean()) model_->compile(options_);
    }
    if (config("compiled_outside")->boolean()) model_->compile(options_);
  }

  void fit() {
    train::FitOptions options{.epochs = epochs_};
    if (is_given(config("steps"))) options.steps_per_epoch = config("steps")->integer();
    options.on_epoch_begin = [&](std::int64_t epoch) {
      rates_.push_back(context_->learning_rate());
      callbacks_->begin_epoch(epoch);
    };
    options.on_step = [&](const train::StepResult& step) {
      callbacks_->end_step(step);
      if (step.ends_execution) note(steps_, step.loss_of_epoch, step.metrics);
    };
    options.on_epoch = [&](const train::EpochResult& epoch) { end_epoch(epoch); };
    options.is_stopped = [&] { return callbacks_->stopped_by().has_value(); };
    model_->fit(dataset(), options);
    callbacks_->end();
  }

  void end_epoch(const train::EpochResult& epoch) {
    std::optional<train::EpochResult> validation;
    if (validates()) validation = model_->evaluate(validation_rows());
    for (const auto& [name, log] : callbacks_->end_epoch(epoch, validation ? &*validation : nullptr))
      history_[name].push_back(log.value);
  }

  // The program passes validation_data where EarlyStopping watches val_loss.
  bool validates() const {
    return is_given(config("callbacks")) &&
           std::ranges::any_of(config("callbacks")->elements(),
                               [](const json::Value& name) { return name.string() == "stop"; });
  }

  data::Dataset validation_rows() const {
    return data::Dataset::from_tensor_slices(case_.rows()).take(6).batch(batch_);
  }

  // ---- Comparing

  using Results = std::map<std::string, std::vector<double>, std::less<>>;

  static void note(Results& results, double loss, const std::vector<train::Log>& metrics) {
    results["loss"].push_back(loss);
    for (const train::Log& metric : metrics) results[metric.name].push_back(metric.value);
  }

  void compare_results(const std::string& prefix, const Results& ours) {
    for (const auto& [name, numbers] : ours)
      if (case_.tensors.contains(prefix + name))
        case_.compare_series(prefix + name, numbers);
      else
        case_.comparison.fail(fmt::format("Keras has no {}{}", prefix, name));
  }

  void compare_keys(const char* list, const Results& ours) {
    std::set<std::string> names, recorded;
    for (const auto& [name, numbers] : ours) names.insert(name);
    for (const json::Value& name : case_.recording.value(list)->elements()) recorded.insert(name.string());
    case_.comparison.same(list, fmt::format("{}", fmt::join(names, " ")),
                          fmt::format("{}", fmt::join(recorded, " ")));
  }

  void compare_steps() { compare_results("batch/", steps_); }

  void compare_epochs() {
    compare_keys("history_keys", history_);
    compare_results("history/", history_);
    const json::Value::Elements& rates = case_.recording.value("learning_rates")->elements();
    case_.comparison.near("the number of epochs", static_cast<double>(rates_.size()),
                          static_cast<double>(rates.size()));
    for (std::size_t i = 0; i < std::min(rates_.size(), rates.size()); ++i)
      case_.comparison.near(fmt::format("the rate of epoch {}", i), rates_[i], number_of(rates[i]));
  }

  // The recorded numbers are in the order of their keys.
  void compare_evaluation() {
    const train::EpochResult result =
        model_->evaluate(data::Dataset::from_tensor_slices(case_.rows()).batch(batch_));
    Results ours;
    note(ours, result.loss, result.metrics);
    compare_keys("evaluate_keys", ours);
    std::vector<double> in_order;
    for (const json::Value& key : case_.recording.value("evaluate_keys")->elements())
      if (const auto found = ours.find(key.string()); found != ours.end())
        in_order.push_back(found->second.front());
    case_.compare_series("evaluate", in_order);
  }

  void compare_predictions() {
    const std::vector<Tensor> outputs =
        model_->predict_outputs(data::Dataset::from_tensor_slices({case_.tensors.at("x")}).batch(batch_));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      case_.comparison.near(fmt::format("predictions/{}", i), outputs[i],
                            case_.tensors.at(fmt::format("predictions/{}", i)), prediction_limit);
  }

  TrainingCase case_;
  std::int64_t batch_;
  std::int64_t epochs_;
  train::CompileOptions options_;
  std::optional<train::Model> model_{};
  std::optional<train::CallbackContext> context_{};
  std::optional<train::Callbacks> callbacks_{};
  Results steps_{}, history_{};
  std::vector<double> rates_{};  // at the beginning of each epoch
};

}  // namespace

void compare_fit(const Recording& recording, Comparison& comparison) {
  FitProgram(recording, comparison).compare();
}

}  // namespace wt::recordings
