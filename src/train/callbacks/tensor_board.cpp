// The callback that writes what TensorBoard draws, with the tags, steps and omissions of Keras 2.15 and 3.15.

#include <fmt/format.h>

#include <vector>

#include "data/event_file.h"
#include "train/callbacks/running.h"

namespace wt::train {

namespace {

class Board final : public RunningCallback {
 public:
  Board(const TensorBoard& callback, const CallbackContext& context)
      : wanted_(callback), context_(context), train_(file(TensorBoard::train_folder)) {}

  void begin_epoch(std::int64_t /*epoch*/) override {
    loss_.restart();
    seconds_ = 0;
    steps_ = 0;
  }

  // The logs of a step are those of its epoch so far.
  void end_step(const StepResult& step) override {
    ++all_steps_;
    ++steps_;
    loss_.add(step);
    const double seconds = context_.step_seconds ? context_.step_seconds(step.step) : 0;
    seconds_ += seconds;
    time_ += seconds;
    if (!writes_steps() || !is_turn(all_steps_)) return;
    if (wanted_.write_steps_per_second) write(train_, "batch_steps_per_second", all_steps_, 1 / seconds);
    write(train_, "batch_loss", all_steps_, loss_.mean());
    for (const Log& metric : step.metrics) write(train_, "batch_" + metric.name, all_steps_, metric.value);
  }

  void end_evaluation(const EpochResult& result) override {
    evaluated_steps_ += result.steps;
    if (!is_turn_of_epoch(evaluated_steps_)) return;
    write(validation(), "evaluation_loss_vs_iterations", all_steps_, result.loss);
    for (const Log& metric : result.metrics)
      write(validation(), fmt::format("evaluation_{}_vs_iterations", metric.name), all_steps_, metric.value);
  }

  void end_epoch(std::int64_t epoch, EpochLogs& logs) override {
    if (!is_turn_of_epoch(all_steps_)) return;
    constexpr std::string_view of_evaluation = "val_";
    for (const auto& [name, log] : logs) {
      const bool is_evaluated = name.starts_with(of_evaluation);
      const std::string own = is_evaluated ? name.substr(of_evaluation.size()) : name;
      write(is_evaluated ? validation() : train_, "epoch_" + own, epoch, log.value);
    }
    if (is_keras3() && !context_.optimizer.schedule && !logs.contains("learning_rate"))
      write(train_, "epoch_learning_rate", epoch, context_.learning_rate());
    if (wanted_.write_steps_per_second)
      write(train_, "epoch_steps_per_second", epoch, static_cast<double>(steps_) / seconds_);
  }

 private:
  bool is_keras3() const { return context_.semantics == model::Semantics::keras3; }

  // Keras 2 looks at steps only if it measures them, whatever update_freq is.
  bool writes_steps() const {
    return wanted_.update_freq.steps && (is_keras3() || wanted_.write_steps_per_second);
  }
  bool is_turn(std::int64_t steps) const { return steps % *wanted_.update_freq.steps == 0; }
  // Keras 3 leaves out the epochs and evaluations that end between two steps whose turn it is.
  bool is_turn_of_epoch(std::int64_t steps) const {
    return !is_keras3() || !wanted_.update_freq.steps || is_turn(steps);
  }

  std::filesystem::path file(std::string_view folder) const { return context_.file(wanted_.file_in(folder)); }
  data::EventFile& validation() {
    if (!validation_) validation_.emplace(file(TensorBoard::validation_folder));
    return *validation_;
  }

  void write(data::EventFile& file, const std::string& tag, std::int64_t step, double value) const {
    file.write_scalar(tag, step, static_cast<float>(value), time_);
  }

  TensorBoard wanted_;
  CallbackContext context_;
  data::EventFile train_;
  std::optional<data::EventFile> validation_{};
  LossSoFar loss_{};
  double seconds_ = 0;
  double time_ = 0;  // simulated, since the training began
  std::int64_t steps_ = 0;
  std::int64_t all_steps_ = 0;
  std::int64_t evaluated_steps_ = 0;
};

}  // namespace

RunningCallbackPtr run(const TensorBoard& callback, const CallbackContext& context) {
  return std::make_unique<Board>(callback, context);
}

}  // namespace wt::train
