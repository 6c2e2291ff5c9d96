// Recordings of the kind `optimizers` that call fit with one callback: EarlyStopping, ReduceLROnPlateau, or a
// LearningRateScheduler. The recorded program puts a "val_loss" that it was given into the results of each epoch. Compared
// are the results, rates and weights of each epoch, how many epochs were trained, what the callback counted, and the
// weights at the end.

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "model/keras_json.h"
#include "model/weights.h"
#include "scenario/read_scenario.h"
#include "study/recordings/families.h"
#include "study/recordings/machine.h"
#include "study/recordings/python_call.h"
#include "train/callbacks.h"

namespace wt::recordings {

namespace {

// Of the recorded program.
constexpr std::int64_t batch = 4;
constexpr double first_rate = 0.1;

// The callback as a scenario has it. A schedule, which is a function in Python, is the table of the recorded rates.
std::string scenario_json(const Recording& recording) {
  const PythonCall call = last_call(recording.text("helpers")->string(), "keras.callbacks.");
  const json::Value arguments = json::parse(call.arguments, "the recorded call");
  json::Writer out;
  out.begin_object().member("type", call.name);
  for (const json::Member& argument : arguments.members())
    if (argument.key != "verbose") json::write_value(out.key(argument.key), argument.value);
  if (call.name == "LearningRateScheduler") {
    out.key("schedule").begin_array();
    for (const json::Value& epoch : recording.value("by_epoch")->elements())
      out.value(number_of(*epoch.find("rate_at_begin")));
    out.end_array();
  }
  return out.end_object().text();
}

train::Callback callback_of(const Recording& recording) {
  scenario::Reading reading;
  const train::Callback callback =
      scenario::read_callback(json::parse(scenario_json(recording), "callbacks"), reading);
  reading.problems.throw_if_any();
  return callback;
}

class Fitted {
 public:
  Fitted(const Recording& recording, Comparison& comparison, std::int64_t replicas)
      : recording_(recording),
        comparison_(comparison),
        layer_(model::model_from_json(json::parse(recording.text("model.json")->string(), "model.json"))),
        tensors_(recording.tensors()),
        machine_(replicas) {
    optimizer_ = model::optimizer_named("SGD", recording.semantics());
    optimizer_.learning_rate = first_rate;
    state_.preset(weights("initial"));
    model_.compile(
        {.loss = model::loss_named("mse"), .optimizer = optimizer_, .semantics = recording.semantics()});
    require_answers();
    callbacks_.emplace(std::vector{callback_of(recording)}, context_);
  }

  void compare() {
    comparison_.starts_to_compute();
    const auto& epochs = recording_.value("by_epoch")->elements();
    const std::int64_t wanted = watched() == nullptr ? std::ssize(epochs) : std::ssize(watched()->elements());
    const data::Dataset rows =
        data::Dataset::from_tensor_slices({tensors_.at("x"), tensors_.at("y")}).batch(batch);
    const auto trained =
        model_.fit(rows, {.epochs = wanted,
                          .on_epoch = [&](const train::EpochResult& epoch) { finish(epoch); },
                          .on_epoch_begin = [&](std::int64_t epoch) { callbacks_->begin_epoch(epoch); },
                          .is_stopped = [&] { return callbacks_->stopped_by().has_value(); }});
    callbacks_->end();
    comparison_.near("the number of epochs", static_cast<double>(trained.size()),
                     static_cast<double>(epochs.size()));
    compare_weights("final");
    compare_state();
  }

 private:
  const json::Value* watched() const {
    const json::Value* values = recording_.config("watched");
    return values == nullptr || values->elements().empty() ? nullptr : values;
  }

  void require_answers() const {
    train::CallbackFacts facts{optimizer_, {}, {"loss"}, recording_.semantics()};
    if (watched() != nullptr) facts.logs.emplace_back("val_loss");
    Problems problems;
    for (const train::CallbackProblem& problem : train::problems_of(callback_of(recording_), facts))
      problems.add({}, problem.fact, problem.remedy);
    problems.throw_if_any();
  }

  std::map<std::string, Tensor> weights(const std::string& when) {
    std::map<std::string, Tensor> found;
    for (const auto& [recorded, tensor] : tensors_)
      if (recorded.starts_with(when + "/"))
        for (const model::Weight& weight : model::weights_of(*layer_))
          if (recorded.ends_with("/" + weight.name)) found.emplace(weight.name, tensor);
    if (found.empty()) comparison_.fail("no weights are recorded of " + when);
    return found;
  }

  void compare_weights(const std::string& when) {
    for (const auto& [name, theirs] : weights(when))
      comparison_.near(fmt::format("{} of {}", name, when), state_.read(name), theirs, weight_limit);
  }

  void finish(const train::EpochResult& result) {
    const auto& epochs = recording_.value("by_epoch")->elements();
    const auto at = static_cast<std::size_t>(result.epoch);
    if (at >= epochs.size()) return;  // the number of epochs is compared at the end
    comparison_.near(fmt::format("the rate of epoch {}", at), context_.learning_rate(),
                     number_of(*epochs[at].find("rate_at_begin")));
    train::EpochLogs logs{{"loss", {result.loss}}};
    if (watched() != nullptr) logs["val_loss"] = {number_of(watched()->elements()[at])};
    logs = callbacks_->end_epoch(result.epoch, std::move(logs));
    comparison_.near(fmt::format("the rate after epoch {}", at), context_.learning_rate(),
                     number_of(*epochs[at].find("rate_at_end")));
    compare_logs(at, logs, *epochs[at].find("logs"));
    compare_weights(fmt::format("weights/epoch{:02}", at));
  }

  void compare_logs(std::size_t epoch, const train::EpochLogs& ours, const json::Value& theirs) {
    for (const json::Member& log : theirs.members()) {
      const auto found = ours.find(log.key);
      if (found == ours.end())
        comparison_.fail(fmt::format("epoch {} has no result {}", epoch, log.key));
      else
        comparison_.near(fmt::format("{} of epoch {}", log.key, epoch), found->second.value,
                         number_of(log.value));
    }
  }

  // What the callback was given is recorded among what it counts. A best value that there is not is null.
  void compare_state() {
    const std::map<std::string, double> ours = callbacks_->state(0);
    for (const json::Member& attribute : recording_.value("state")->members()) {
      const auto found = ours.find(attribute.key);
      if (found == ours.end()) continue;
      const double theirs = attribute.value.kind() == json::Kind::null
                                ? std::numeric_limits<double>::quiet_NaN()
                                : number_of(attribute.value);
      comparison_.near(attribute.key, found->second, theirs);
    }
  }

  const Recording& recording_;
  Comparison& comparison_;
  model::LayerPtr layer_;
  std::map<std::string, Tensor> tensors_;
  Machine machine_;
  model::Optimizer optimizer_{};
  train::State state_{1};
  train::Model model_{layer_, state_, machine_};
  train::CallbackContext context_{
      .model = model_, .state = state_, .optimizer = optimizer_, .semantics = recording_.semantics()};
  std::optional<train::Callbacks> callbacks_{};
};

}  // namespace

void compare_callback_on(const Recording& recording, Comparison& comparison, std::int64_t replicas) {
  Fitted(recording, comparison, replicas).compare();
}

void compare_callback(const Recording& recording, Comparison& comparison) {
  compare_callback_on(recording, comparison, 1);
}

}  // namespace wt::recordings
