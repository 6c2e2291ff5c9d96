#pragma once
// Runs Keras' callbacks. A program calls these functions when an epoch or a step begins and ends, as session/training.h
// does for a scenario; each function calls the callbacks in the order in which they are listed:
//
//   Callbacks callbacks({EarlyStopping{.monitor = "loss", .patience = 3}}, {model, state, optimizer, metrics});
//   callbacks.begin();
//   model.fit(dataset, {.epochs = 20,
//                       .on_step = [&](const StepResult& step) { callbacks.end_step(step); },
//                       .on_epoch = [&](const EpochResult& epoch) { callbacks.end_epoch(epoch, nullptr); },
//                       .on_epoch_begin = [&](std::int64_t epoch) { callbacks.begin_epoch(epoch); },
//                       .is_stopped = [&] { return callbacks.stopped_by().has_value(); }});
//   callbacks.end();

#include "train/callbacks/running.h"

namespace wt::train {

class Callbacks {
 public:
  // Requires: problems_of finds none, and what the context refers to outlives the callbacks.
  Callbacks(const std::vector<Callback>& callbacks, const CallbackContext& context);

  // Before the first epoch. The epochs and steps that an interrupted training has done, if BackupAndRestore has restored
  // its state: fit then begins with FitOptions::initial_epoch and skipped_steps.
  std::optional<Progress> begin();
  void begin_epoch(std::int64_t epoch);
  void end_step(const StepResult& step);
  // `evaluation` is that of this epoch, null if there was none. Returns what the callbacks leave in the logs.
  EpochLogs end_epoch(const EpochResult& epoch, const EpochResult* evaluation);
  EpochLogs end_epoch(std::int64_t epoch, EpochLogs logs);
  void preempt();
  void end();

  // The name of the callback that ends the training; none if it goes on.
  std::optional<std::string_view> stopped_by() const;
  std::map<std::string, double> state(std::size_t callback) const { return running_[callback]->state(); }

 private:
  std::vector<Callback> callbacks_;
  std::vector<RunningCallbackPtr> running_{};
};

}  // namespace wt::train
