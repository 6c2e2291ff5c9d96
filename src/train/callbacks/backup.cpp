// Keras' BackupAndRestore: the whole state of a training, saved from time to time, from which an interrupted training
// continues.

#include <fmt/format.h>

#include "base/rough.h"
#include "train/callbacks/running.h"
#include "train/checkpoint.h"

namespace wt::train {

namespace {

namespace fs = std::filesystem;

class BackingUp final : public RunningCallback {
 public:
  BackingUp(const BackupAndRestore& callback, const CallbackContext& context)
      : wanted_(callback), context_(context) {}

  std::optional<Progress> begin() override {
    const std::optional<fs::path> folder =
        context_.earlier ? context_.earlier(wanted_.backup_dir) : std::optional(folder_of_backup());
    const std::optional<fs::path> newest = folder ? latest_checkpoint(*folder / sub_folder) : std::nullopt;
    if (!newest) return std::nullopt;
    const Progress done = Checkpoint(context_.state).restore(*newest);
    steps_ = done.steps;
    context_.tell(fmt::format("BackupAndRestore: continues behind {} and {} of an interrupted training",
                              counted(done.epochs, "epoch"), counted(done.steps, "step")));
    return done;
  }

  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }

  void end_step(const StepResult& /*step*/) override {
    ++steps_;
    if (!wanted_.save_freq || ++since_saved_ < *wanted_.save_freq) return;
    since_saved_ = 0;
    save(progress());
  }

  void end_epoch(std::int64_t epoch, EpochLogs& /*logs*/) override {
    ended_ = {epoch + 1, steps_};
    if (!wanted_.save_freq) save(ended_);
  }

  void preempt() override {
    if (wanted_.save_before_preemption) save(progress());
  }

  void end() override {
    std::error_code ignored;
    if (wanted_.delete_checkpoint) fs::remove_all(folder_of_backup(), ignored);
  }

 private:
  // Keras 2 writes chief/ckpt-1 there. Others than the chief write elsewhere, and nothing reads it.
  static constexpr const char* sub_folder = "chief";

  bool is_keras3() const { return context_.semantics == model::Semantics::keras3; }
  Progress progress() const { return is_keras3() ? ended_ : Progress{epoch_, steps_}; }
  fs::path folder_of_backup() const { return context_.file(wanted_.backup_dir); }

  void save(const Progress& progress) {
    if (context_.is_cut_off && context_.is_cut_off()) return;
    const fs::path folder = folder_of_backup() / sub_folder;
    fs::create_directories(folder);
    if (context_.keep) context_.keep(wanted_.backup_dir);
    Checkpoint(context_.state, 1).save(folder / "ckpt", progress);
  }

  BackupAndRestore wanted_;
  CallbackContext context_;
  std::int64_t epoch_ = 0;
  std::int64_t steps_ = 0;  // of the whole training
  std::int64_t since_saved_ = 0;
  // What Keras 3 saves after a step: it begins the epoch again, with the weights of that step. After a restart it
  // counts epochs from the first one until one has ended (keras/src/callbacks/backup_and_restore.py, Keras 3.15).
  Progress ended_{};
};

}  // namespace

RunningCallbackPtr run(const BackupAndRestore& callback, const CallbackContext& context) {
  return std::make_unique<BackingUp>(callback, context);
}

}  // namespace wt::train
