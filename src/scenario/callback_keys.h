#pragma once
// The keys of Keras' callbacks in a scenario; scenario/keys.h says who reads them.

#include "base/json_key.h"
#include "train/callback.h"

namespace wt::scenario {

using json::count;
using json::Key;
using json::optional;
using json::required;

// A number of epochs, which may be 0.
constexpr Key epochs(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning, .at_least = 0, .at_most = json::most};
}

inline constexpr Key monitored =
    optional("monitor", "the result of an epoch that is watched, as \"val_loss\"");
inline constexpr Key least_improvement =
    optional("min_delta", "the least change that counts as an improvement");
inline constexpr Key patience = epochs("patience", "how many epochs may pass without an improvement");
inline constexpr Key monitor_mode = optional(
    "mode", "whether the result is better when it is smaller or larger; auto: as Keras guesses by its name");

template <class Visit>
void keys_of(Visit& visit, train::EarlyStopping& callback) {
  visit(monitored, callback.monitor);
  visit(least_improvement, callback.min_delta);
  visit(patience, callback.patience);
  visit(monitor_mode, callback.mode);
  visit(optional("baseline", "the wait begins anew only if the result is better than this, too"),
        callback.baseline);
  visit(optional("restore_best_weights", "the weights at the end are those of the best epoch"),
        callback.restore_best_weights);
  visit(epochs("start_from_epoch", "the first epoch that is watched, counted from 0"),
        callback.start_from_epoch);
}

template <class Visit>
void keys_of(Visit& visit, train::ReduceLROnPlateau& callback) {
  visit(monitored, callback.monitor);
  visit(Key{.name = "factor", .meaning = "by which the learning rate is multiplied", .at_least = 0},
        callback.factor);
  visit(patience, callback.patience);
  visit(monitor_mode, callback.mode);
  visit(least_improvement, callback.min_delta);
  visit(epochs("cooldown", "how many epochs aren't watched after the rate was reduced"), callback.cooldown);
  visit(Key{.name = "min_lr", .meaning = "the least learning rate", .at_least = 0}, callback.min_lr);
}

template <class Visit>
void keys_of(Visit& visit, train::LearningRateScheduler& callback) {
  visit(required("schedule",
                 "a list with the learning rate of each epoch; the last one holds for all after it"),
        callback.schedule);
}

template <class Visit>
void keys_of(Visit& visit, train::ModelCheckpoint& callback) {
  visit(required("filepath",
                 "a .safetensors or .weights.h5 file for the weights, in the folder of the results; fields "
                 "as in Python: "
                 "\"weights/{epoch:02d}-{val_loss:.2f}.safetensors\""),
        callback.filepath);
  visit(monitored, callback.monitor);
  visit(optional("save_best_only",
                 "save only where the result of the epoch, or of its steps so far, is the best so far"),
        callback.save_best_only);
  visit(monitor_mode, callback.mode);
  visit(count("save_freq", "save after so many steps; at the end of each epoch where absent"),
        callback.save_freq);
  visit(optional("initial_value_threshold", "a result is the best so far only if it is better than this"),
        callback.initial_value_threshold);
}

template <class Visit>
void keys_of(Visit& visit, train::BackupAndRestore& callback) {
  visit(required("backup_dir",
                 "a folder for the state of the training, in the folder of the results: the next run of an "
                 "interrupted training continues from it"),
        callback.backup_dir);
  visit(count("save_freq", "save after so many steps; at the end of each epoch where absent"),
        callback.save_freq);
  visit(optional("delete_checkpoint", "remove the folder when the training ends"),
        callback.delete_checkpoint);
  visit(optional("save_before_preemption",
                 "save also when a task is about to be preempted, within the \"grace\" of that fault"),
        callback.save_before_preemption);
}

template <class Visit>
void keys_of(Visit& visit, train::CSVLogger& callback) {
  visit(required("filename", "a CSV file in the folder of the results, with a line for each epoch"),
        callback.filename);
  visit(optional("separator", "the character between two values"), callback.separator);
}

template <class Visit>
void keys_of(Visit& /*visit*/, train::TerminateOnNaN& /*callback*/) {}

template <class Visit>
void keys_of(Visit& visit, train::TensorBoard& callback) {
  visit(optional("log_dir", "the folder of the event files, in the folder of the results"), callback.log_dir);
  visit(optional("update_freq",
                 "how often the results of steps are written: epoch (never), batch (each step), or each so "
                 "many steps"),
        callback.update_freq);
  visit(optional("write_steps_per_second", "write the simulated steps per second, too"),
        callback.write_steps_per_second);
}

inline constexpr Key callback_type = required("type", "the class of Keras' callback");

}  // namespace wt::scenario
