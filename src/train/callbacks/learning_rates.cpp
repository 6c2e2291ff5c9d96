// The callbacks that change the learning rate.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "train/callbacks/monitor.h"
#include "train/callbacks/running.h"

namespace wt::train {

namespace {

class Scheduling final : public RunningCallback {
 public:
  Scheduling(const LearningRateScheduler& callback, const CallbackContext& context)
      : wanted_(callback), context_(context) {}

  void begin_epoch(std::int64_t epoch) override {
    const std::size_t last = wanted_.schedule.size() - 1;
    context_.set_learning_rate(wanted_.schedule[std::min(last, static_cast<std::size_t>(epoch))]);
  }

  void end_epoch(std::int64_t /*epoch*/, EpochLogs& logs) override { log_rate(context_, logs); }

  static void log_rate(const CallbackContext& context, EpochLogs& logs) {
    logs[std::string(name_of_rate(context.semantics))] = {context.learning_rate(),
                                                          context.semantics != model::Semantics::keras3};
  }

 private:
  LearningRateScheduler wanted_;
  CallbackContext context_;
};

class Reducing final : public RunningCallback {
 public:
  Reducing(const ReduceLROnPlateau& callback, const CallbackContext& context)
      : wanted_(callback),
        context_(context),
        monitor_({wanted_.monitor, wanted_.mode, wanted_.min_delta, Watcher::plateau}, context.metrics,
                 context.semantics),
        best_(monitor_.worst()) {}

  void end_epoch(std::int64_t epoch, EpochLogs& logs) override {
    Scheduling::log_rate(context_, logs);
    const auto current = logs.find(wanted_.monitor);
    if (current == logs.end()) return;
    if (cooldown_ > 0) {
      --cooldown_;
      wait_ = 0;
    }
    if (monitor_.is_improvement(current->second.value, best_)) {
      best_ = current->second.value;
      wait_ = 0;
    } else if (cooldown_ == 0 && ++wait_ >= wanted_.patience) {
      reduce(epoch);
    }
  }

  std::map<std::string, double> state() const override {
    return {{"best", best_.value_or(std::numeric_limits<double>::quiet_NaN())},
            {"wait", static_cast<double>(wait_)},
            {"cooldown_counter", static_cast<double>(cooldown_)}};
  }

 private:
  void reduce(std::int64_t epoch) {
    const double rate = context_.learning_rate();
    if (rate <= static_cast<double>(static_cast<float>(wanted_.min_lr))) return;
    const double reduced = std::max(rate * wanted_.factor, wanted_.min_lr);
    context_.set_learning_rate(reduced);
    context_.tell(
        fmt::format("ReduceLROnPlateau: the learning rate is {:.4g} from epoch {} on", reduced, epoch + 2));
    cooldown_ = wanted_.cooldown;
    wait_ = 0;
  }

  ReduceLROnPlateau wanted_;
  CallbackContext context_;
  Monitor monitor_;
  std::optional<double> best_;
  std::int64_t wait_ = 0;
  std::int64_t cooldown_ = 0;
};

}  // namespace

RunningCallbackPtr run(const LearningRateScheduler& callback, const CallbackContext& context) {
  return std::make_unique<Scheduling>(callback, context);
}

RunningCallbackPtr run(const ReduceLROnPlateau& callback, const CallbackContext& context) {
  return std::make_unique<Reducing>(callback, context);
}

}  // namespace wt::train
