#include <fmt/format.h>

#include <limits>

#include "train/callbacks/monitor.h"
#include "train/callbacks/running.h"

namespace wt::train {

namespace {

class Stopping final : public RunningCallback {
 public:
  Stopping(const EarlyStopping& callback, const CallbackContext& context)
      : wanted_(callback),
        context_(context),
        monitor_({wanted_.monitor, wanted_.mode, wanted_.min_delta, Watcher::early_stopping}, context.metrics,
                 context.semantics),
        best_(monitor_.worst()) {}

  void end_epoch(std::int64_t epoch, EpochLogs& logs) override {
    const auto current = logs.find(wanted_.monitor);
    if (current == logs.end() || epoch < wanted_.start_from_epoch) return;
    if (wanted_.restore_best_weights && best_weights_.empty()) {
      best_weights_ = context_.model.weights();
      if (is_keras3()) best_epoch_ = epoch;
    }
    ++wait_;
    if (monitor_.is_improvement(current->second.value, best_))
      improve(epoch, current->second.value);
    else if (wait_ >= wanted_.patience && epoch > 0)
      stop(epoch);
  }

  // Keras 2 restores the weights only if it stops the training, and Keras 3 at the end in any case.
  void end() override {
    if (is_keras3()) restore();
  }

  bool stops() const override { return stopped_epoch_ > 0; }

  std::map<std::string, double> state() const override {
    return {{"best", best_.value_or(std::numeric_limits<double>::quiet_NaN())},
            {"wait", static_cast<double>(wait_)},
            {"stopped_epoch", static_cast<double>(stopped_epoch_)},
            {"best_epoch", static_cast<double>(best_epoch_)}};
  }

 private:
  bool is_keras3() const { return context_.semantics == model::Semantics::keras3; }

  // The wait starts anew only if the baseline is reached, too.
  void improve(std::int64_t epoch, double value) {
    best_ = value;
    best_epoch_ = epoch;
    if (wanted_.restore_best_weights) best_weights_ = context_.model.weights();
    if (!wanted_.baseline || monitor_.is_improvement(value, wanted_.baseline)) wait_ = 0;
  }

  void stop(std::int64_t epoch) {
    stopped_epoch_ = epoch;
    context_.tell(
        fmt::format("EarlyStopping: the training ends after epoch {}; {} was best, {:.5g}, in epoch {}",
                    epoch + 1, wanted_.monitor, best_.value_or(0), best_epoch_ + 1));
    if (!is_keras3()) restore();
  }

  void restore() {
    if (best_weights_.empty()) return;
    context_.tell(
        fmt::format("EarlyStopping: the weights are those of epoch {}, the best one", best_epoch_ + 1));
    context_.set_weights(best_weights_);
  }

  EarlyStopping wanted_;
  CallbackContext context_;
  Monitor monitor_;
  std::optional<double> best_;
  std::int64_t wait_ = 0;
  std::int64_t stopped_epoch_ = 0;
  std::int64_t best_epoch_ = 0;
  std::map<std::string, Tensor> best_weights_{};
};

}  // namespace

RunningCallbackPtr run(const EarlyStopping& callback, const CallbackContext& context) {
  return std::make_unique<Stopping>(callback, context);
}

}  // namespace wt::train
