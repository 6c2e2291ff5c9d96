#pragma once
// A callback while fit runs. Each kind has a function here that makes it ready.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "train/callback.h"
#include "train/checkpoint.h"
#include "train/model.h"

namespace wt::train {

// A result of an epoch as callbacks see it. Keras 2 logs its learning rate in float32, which is printed with fewer
// digits.
struct EpochLog {
  double value = 0;
  bool is_single = false;
};
using EpochLogs = std::map<std::string, EpochLog, std::less<>>;

// What callbacks see of a training, and do to it.
struct CallbackContext {
  const Model& model;
  State& state;
  const model::Optimizer& optimizer;
  std::vector<model::Metric> metrics{};  // of all outputs, by the names that they are given
  model::Semantics semantics = model::default_semantics;
  // Where to write a file that a callback names.
  std::function<std::filesystem::path(const std::string& name)> file{};
  // Where an interrupted training has left the folder that a callback names; none: nowhere. Unset: where `file` is.
  std::function<std::optional<std::filesystem::path>(const std::string& name)> earlier{};
  std::function<bool()> is_cut_off{};                   // the process ends before it has saved anything more
  std::function<void(const std::string& name)> keep{};  // this folder stays if the training is killed
  std::function<void(const std::string& text)> note{};  // receives messages for the user
  std::function<double(std::int64_t step)> step_seconds{};  // simulated; unset: steps are not timed

  double learning_rate() const;
  void set_learning_rate(double rate) const;
  void set_weights(const std::map<std::string, Tensor>& weights) const;
  void tell(const std::string& text) const;
};

// The mean loss of the steps of an epoch so far, as Keras' progress bar shows it.
class LossSoFar {
 public:
  void restart() { loss_ = rows_ = 0; }
  void add(const StepResult& step) {
    loss_ += step.loss * static_cast<double>(step.rows);
    rows_ += static_cast<double>(step.rows);
  }
  double mean() const { return loss_ / rows_; }

 private:
  double loss_ = 0;  // times the rows
  double rows_ = 0;
};

class RunningCallback {
 public:
  virtual ~RunningCallback() = default;
  // Before the first epoch. Returns what an earlier training has done, if this one continues it.
  virtual std::optional<Progress> begin() { return std::nullopt; }
  virtual void begin_epoch(std::int64_t /*epoch*/) {}
  virtual void end_step(const StepResult& /*step*/) {}
  virtual void end_evaluation(const EpochResult& /*result*/) {}  // before the end of its epoch
  // The epoch is counted from 0. What a callback adds to the logs, those after it see.
  virtual void end_epoch(std::int64_t /*epoch*/, EpochLogs& /*logs*/) {}
  virtual void preempt() {}  // between two steps, after a process has got notice of its preemption
  virtual void end() {}
  virtual bool stops() const { return false; }  // whether the training is to end

  // Keras' attributes of the same names, such as "wait" and "best". A best value that there is not is NaN.
  virtual std::map<std::string, double> state() const { return {}; }
};
using RunningCallbackPtr = std::unique_ptr<RunningCallback>;

RunningCallbackPtr run(const EarlyStopping& callback, const CallbackContext& context);
RunningCallbackPtr run(const ReduceLROnPlateau& callback, const CallbackContext& context);
RunningCallbackPtr run(const LearningRateScheduler& callback, const CallbackContext& context);
RunningCallbackPtr run(const ModelCheckpoint& callback, const CallbackContext& context);
RunningCallbackPtr run(const BackupAndRestore& callback, const CallbackContext& context);
RunningCallbackPtr run(const CSVLogger& callback, const CallbackContext& context);
RunningCallbackPtr run(const TerminateOnNaN& callback, const CallbackContext& context);
RunningCallbackPtr run(const TensorBoard& callback, const CallbackContext& context);

}  // namespace wt::train
