#include "train/callback.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "train/callbacks/file_name.h"
#include "train/callbacks/monitor.h"

namespace wt::train {

namespace {

using Found = std::vector<CallbackProblem>;

void check_monitor(const Watched& watched, const CallbackFacts& facts, Found& found) {
  if (std::ranges::find(facts.logs, watched.name) == facts.logs.end()) {
    const std::vector<std::string_view> known(facts.logs.begin(), facts.logs.end());
    std::string remedy = did_you_mean(watched.name, known);
    if (watched.name.starts_with("val_"))
      remedy += R"(; "evaluation" with "every": 1 gives those with "val_")";
    found.push_back({"monitor", fmt::format("an epoch has no result \"{}\"", watched.name), remedy});
  } else if (!larger_is_better(watched, facts.metrics, facts.semantics)) {
    found.push_back(
        {"monitor",
         fmt::format(
             "Keras isn't able to automatically determine whether \"{}\" should be maximized or minimized",
             watched.name),
         R"(add "mode": "max" or "mode": "min")"});
  }
}

void require_settable_rate(const CallbackFacts& facts, Found& found) {
  if (facts.optimizer.schedule)
    found.push_back({"", "the optimizer's learning rate is a schedule, and so it is not settable",
                     "give the optimizer a number, or leave the callback out"});
}

void check(const EarlyStopping& callback, const CallbackFacts& facts, Found& found) {
  check_monitor({callback.monitor, callback.mode, callback.min_delta, Watcher::early_stopping}, facts, found);
}

void check(const ReduceLROnPlateau& callback, const CallbackFacts& facts, Found& found) {
  check_monitor({callback.monitor, callback.mode, callback.min_delta, Watcher::plateau}, facts, found);
  if (callback.factor >= 1)
    found.push_back({"factor",
                     fmt::format("ReduceLROnPlateau does not support a factor >= 1.0. Received factor={}",
                                 print_as_python(callback.factor)),
                     "take a factor between 0 and 1"});
}

void check(const LearningRateScheduler& /*callback*/, const CallbackFacts& /*facts*/, Found& /*found*/) {}

// Keras 3 fails there with "TypeError: 'NoneType' object is not callable".
bool compares_too_early(const ModelCheckpoint& callback, const CallbackFacts& facts) {
  if (!callback.save_best_only || !callback.save_freq || facts.semantics != model::Semantics::keras3 ||
      is_of_evaluation(callback.monitor))
    return false;
  const std::int64_t first_compared = *callback.save_freq * (callback.initial_value_threshold ? 1 : 2);
  return first_compared <= facts.steps_per_epoch.value_or(first_compared);
}

void check(const ModelCheckpoint& callback, const CallbackFacts& facts, Found& found) {
  if (callback.save_best_only)
    check_monitor({callback.monitor, callback.mode, 0, Watcher::checkpoint}, facts, found);
  if (compares_too_early(callback, facts))
    found.push_back({"save_freq",
                     "Keras 3 decides at the end of the first epoch which results are better, and it has to "
                     "compare two before",
                     "save less often than twice in an epoch, and without \"initial_value_threshold\" less "
                     "often than once, or train with the semantics keras2"});
  if (!callback.filepath.ends_with(".safetensors") && !callback.filepath.ends_with(".weights.h5"))
    found.push_back({"filepath", fmt::format("\"{}\" is no name of a file of weights", callback.filepath),
                     R"(let it end with ".safetensors", or with ".weights.h5" for Keras' layout)"});
  Fields fields{{"epoch", std::int64_t{1}}};
  if (callback.save_freq) fields.emplace("batch", std::int64_t{1});
  for (const std::string& name : facts.logs)
    if (!callback.save_freq || !is_of_evaluation(name)) fields.emplace(name, 1.0);
  try {
    filled(callback.filepath, fields);
  } catch (const InputError& error) {
    found.push_back({"filepath", error.problems().front().fact, error.problems().front().remedy});
  }
}

// TensorFlow 2.15's sentence, with the class's name in place of its address.
void check(const BackupAndRestore& callback, const CallbackFacts& facts, Found& found) {
  if (callback.backup_dir.empty())
    found.push_back({"backup_dir", "Empty `backup_dir` argument passed", R"(write "backup")"});
  if (callback.save_before_preemption && facts.semantics == model::Semantics::keras3)
    found.push_back({"save_before_preemption", "Keras 3's BackupAndRestore has no such argument",
                     "leave it out, or take the \"semantics\": \"keras2\""});
  if (!facts.without_backup.empty() && facts.semantics != model::Semantics::keras3)
    found.push_back({"",
                     fmt::format("{} is not supported yet. Currently BackupAndRestore callback only supports "
                                 "empty strategy, MirroredStrategy, MultiWorkerMirroredStrategy and "
                                 "TPUStrategy.",
                                 facts.without_backup),
                     "save the state by \"checkpointing\", and continue by its \"restore\""});
}

void check(const CSVLogger& callback, const CallbackFacts& /*facts*/, Found& found) {
  if (callback.separator.size() != 1)
    found.push_back({"separator", "the separator of a CSV file is one character", R"(write "," or ";")"});
}

void check(const TerminateOnNaN& /*callback*/, const CallbackFacts& /*facts*/, Found& /*found*/) {}

void check(const TensorBoard& callback, const CallbackFacts& facts, Found& found) {
  if (callback.write_steps_per_second && !facts.is_timed)
    found.push_back({"write_steps_per_second", "without a platform no step is timed",
                     R"(add "platform", or leave it out)"});
}

}  // namespace

bool is_of_evaluation(std::string_view result) { return result.starts_with("val_"); }

bool sets_learning_rate(const Callback& callback) {
  return std::holds_alternative<ReduceLROnPlateau>(callback) ||
         std::holds_alternative<LearningRateScheduler>(callback);
}

std::string_view name_of_rate(model::Semantics semantics) {
  return semantics == model::Semantics::keras3 ? "learning_rate" : "lr";
}

std::vector<CallbackProblem> problems_of(const Callback& callback, const CallbackFacts& facts) {
  Found found;
  if (sets_learning_rate(callback)) require_settable_rate(facts, found);
  std::visit([&](const auto& kind) { check(kind, facts, found); }, callback);
  return found;
}

}  // namespace wt::train
