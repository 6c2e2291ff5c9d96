// The callbacks that write files.

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <vector>

#include "base/error.h"
#include "train/callbacks/file_name.h"
#include "train/callbacks/monitor.h"
#include "train/callbacks/running.h"

namespace wt::train {

namespace {

class Saving final : public RunningCallback {
 public:
  Saving(const ModelCheckpoint& callback, const CallbackContext& context)
      : wanted_(callback), context_(context), best_(wanted_.initial_value_threshold) {
    if (!wanted_.save_best_only) return;
    monitor_.emplace(Watched{wanted_.monitor, wanted_.mode, 0, Watcher::checkpoint}, context.metrics,
                     context.semantics);
    if (!best_) best_ = monitor_->worst();
  }

  void begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    batch_ = 0;
    loss_.restart();
  }

  void end_step(const StepResult& step) override {
    ++batch_;
    loss_.add(step);
    if (!wanted_.save_freq || ++since_saved_ < *wanted_.save_freq) return;
    since_saved_ = 0;
    EpochLogs logs{{"loss", {loss_.mean()}}};
    for (const Log& metric : step.metrics) logs[metric.name] = {metric.value};
    save_if_wanted({{"epoch", epoch_ + 1}, {"batch", batch_}}, logs);
  }

  void end_epoch(std::int64_t epoch, EpochLogs& logs) override {
    if (!wanted_.save_freq) save_if_wanted({{"epoch", epoch + 1}}, logs);
  }

  std::map<std::string, double> state() const override {
    return {{"best", best_.value_or(std::numeric_limits<double>::quiet_NaN())}};
  }

 private:
  // Results without the monitored quantity are saved by Keras 3 and not by Keras 2.
  bool is_wanted(const EpochLogs& logs) {
    if (!monitor_) return true;
    const auto current = logs.find(wanted_.monitor);
    if (current == logs.end()) {
      warn();
      return is_keras3();
    }
    if (!monitor_->is_improvement(current->second.value, best_)) return false;
    best_ = current->second.value;
    return true;
  }

  bool is_keras3() const { return context_.semantics == model::Semantics::keras3; }

  // Python shows a warning once, and Keras 2 logs its own each time.
  void warn() {
    if (is_keras3() && has_warned_) return;
    has_warned_ = true;
    context_.tell(fmt::format("Can save best model only with {} available{}.", wanted_.monitor,
                              is_keras3() ? "" : ", skipping"));
  }

  void save_if_wanted(Fields fields, const EpochLogs& logs) {
    if (!is_wanted(logs)) return;
    for (const auto& [name, log] : logs) fields.emplace(name, log.value);
    context_.model.save_weights(context_.file(filled(wanted_.filepath, fields)));
  }

  ModelCheckpoint wanted_;
  CallbackContext context_;
  std::optional<Monitor> monitor_{};
  std::optional<double> best_;
  std::int64_t epoch_ = 0;
  std::int64_t batch_ = 0;  // steps of this epoch
  std::int64_t since_saved_ = 0;
  LossSoFar loss_{};  // of this epoch
  bool has_warned_ = false;
};

// As Python's csv.excel: fields with a separator or a quote are quoted, and lines end with "\r\n".
class Logging final : public RunningCallback {
 public:
  Logging(const CSVLogger& callback, const CallbackContext& context)
      : separator_(callback.separator), path_(context.file(callback.filename)) {
    out_.open(path_, std::ios::binary);
    require_written();
  }

  void end_epoch(std::int64_t epoch, EpochLogs& logs) override {
    if (epochs_++ == 0) write_header(logs);
    out_ << epoch;
    for (const std::string& column : columns_) out_ << separator_ << value_of(column, logs);
    out_ << "\r\n";
    out_.flush();
    require_written();
  }

 private:
  void require_written() const {
    if (!out_)
      throw InputError(fmt::format("[CSVLogger] {} cannot be written", path_.string()),
                       "make room on its disk, or write elsewhere with --out");
  }

  // The columns are those of the first epoch. If it was not evaluated, Keras adds one for an evaluation's value of each.
  void write_header(const EpochLogs& logs) {
    bool is_evaluated = false;
    for (const auto& [name, log] : logs) {
      columns_.push_back(name);
      is_evaluated = is_evaluated || name.starts_with("val_");
    }
    const std::size_t count = is_evaluated ? 0 : columns_.size();
    for (std::size_t i = 0; i < count; ++i) columns_.push_back("val_" + columns_[i]);
    out_ << "epoch";
    for (const std::string& column : columns_) out_ << separator_ << quoted(column);
    out_ << "\r\n";
  }

  static std::string value_of(const std::string& column, const EpochLogs& logs) {
    const auto log = logs.find(column);
    if (log == logs.end()) return "NA";
    return log->second.is_single ? fmt::format("{}", static_cast<float>(log->second.value))
                                 : print_as_python(log->second.value);
  }

  std::string quoted(const std::string& field) const {
    if (field.find_first_of(separator_ + "\"\r\n") == std::string::npos) return field;
    std::string text = "\"";
    for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + "\"";
  }

  std::string separator_;
  std::filesystem::path path_;
  std::ofstream out_{};
  std::vector<std::string> columns_{};
  std::int64_t epochs_ = 0;
};

}  // namespace

RunningCallbackPtr run(const ModelCheckpoint& callback, const CallbackContext& context) {
  return std::make_unique<Saving>(callback, context);
}

RunningCallbackPtr run(const CSVLogger& callback, const CallbackContext& context) {
  return std::make_unique<Logging>(callback, context);
}

}  // namespace wt::train
