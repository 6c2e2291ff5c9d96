#include "train/callbacks.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "device/cpu/workers.h"
#include "model/schedule.h"
#include "strategy/default.h"

namespace wt::train {

// ---- What callbacks do to a training

namespace {

double rate_of(const model::Schedule& schedule, std::int64_t iteration) {
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  Resources host{[](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"cpu:0"}); },
                 queue};
  State state(0);
  Function rate("rate", state, host, Function::Mode::inference,
                [&](model::Building&, const std::vector<Symbol>& arguments) {
                  return std::vector<Symbol>{model::rate_at(schedule, arguments[0])};
                });
  return static_cast<double>(rate({Tensor::of<std::int64_t>({}, {iteration})})[0].values<float>()[0]);
}

}  // namespace

// Before the first step the optimizer has no variables yet. Keras 3 computes the rate of a schedule anew, for the next step. Keras 2 keeps that of the last step in a variable.
double CallbackContext::learning_rate() const {
  const std::string name = model::learning_rate_name(optimizer);
  if (optimizer.schedule && (semantics == model::Semantics::keras3 || !state.has(name))) {
    const std::string steps = model::iteration_name(optimizer);
    const std::int64_t made = state.has(steps) ? state.read(steps).values<std::int64_t>()[0] : 0;
    return rate_of(*optimizer.schedule, made / optimizer.accumulation);
  }
  return state.has(name) ? static_cast<double>(state.read(name).values<float>()[0])
                         : static_cast<double>(static_cast<float>(optimizer.learning_rate));
}

void CallbackContext::set_learning_rate(double rate) const {
  state.preset({{model::learning_rate_name(optimizer), Tensor::of<float>({}, {static_cast<float>(rate)})}});
}

void CallbackContext::set_weights(const std::map<std::string, Tensor>& weights) const {
  for (const auto& [name, value] : weights) state.write(name, value);
}

void CallbackContext::tell(const std::string& text) const {
  if (note) note(text);
}

namespace {

class Terminating final : public RunningCallback {
 public:
  explicit Terminating(const CallbackContext& context) : context_(context) {}

  void end_step(const StepResult& step) override {
    if (stops_ || std::isfinite(step.loss)) return;
    stops_ = true;
    context_.tell(fmt::format("TerminateOnNaN: the loss of step {} is {}", step.step, step.loss));
  }

  bool stops() const override { return stops_; }

 private:
  CallbackContext context_;
  bool stops_ = false;
};

void add_logs(EpochLogs& logs, const EpochResult& result, std::string_view prefix) {
  logs[fmt::format("{}loss", prefix)] = {result.loss};
  for (const Log& metric : result.metrics) logs[fmt::format("{}{}", prefix, metric.name)] = {metric.value};
}

}  // namespace

RunningCallbackPtr run(const TerminateOnNaN& /*callback*/, const CallbackContext& context) {
  return std::make_unique<Terminating>(context);
}

// ---- All callbacks of a training

Callbacks::Callbacks(const std::vector<Callback>& callbacks, const CallbackContext& context)
    : callbacks_(callbacks) {
  for (const Callback& callback : callbacks_)
    running_.push_back(std::visit([&](const auto& kind) { return run(kind, context); }, callback));
}

std::optional<Progress> Callbacks::begin() {
  std::optional<Progress> done;
  for (const RunningCallbackPtr& callback : running_)
    if (const std::optional<Progress> restored = callback->begin()) done = restored;
  return done;
}

void Callbacks::begin_epoch(std::int64_t epoch) {
  for (const RunningCallbackPtr& callback : running_) callback->begin_epoch(epoch);
}

void Callbacks::end_step(const StepResult& step) {
  for (const RunningCallbackPtr& callback : running_) callback->end_step(step);
}

EpochLogs Callbacks::end_epoch(const EpochResult& epoch, const EpochResult* evaluation) {
  EpochLogs logs;
  add_logs(logs, epoch, "");
  if (evaluation != nullptr) {
    for (const RunningCallbackPtr& callback : running_) callback->end_evaluation(*evaluation);
    add_logs(logs, *evaluation, "val_");
  }
  return end_epoch(epoch.epoch, std::move(logs));
}

EpochLogs Callbacks::end_epoch(std::int64_t epoch, EpochLogs logs) {
  for (const RunningCallbackPtr& callback : running_) callback->end_epoch(epoch, logs);
  return logs;
}

void Callbacks::preempt() {
  for (const RunningCallbackPtr& callback : running_) callback->preempt();
}

void Callbacks::end() {
  for (const RunningCallbackPtr& callback : running_) callback->end();
}

std::optional<std::string_view> Callbacks::stopped_by() const {
  for (std::size_t i = 0; i < running_.size(); ++i)
    if (running_[i]->stops()) return name_of(callbacks_[i]);
  return std::nullopt;
}

}  // namespace wt::train
