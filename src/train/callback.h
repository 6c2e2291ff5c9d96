#pragma once
// Keras' callbacks, as data: what fit does beside training, with the arguments and defaults of Keras. train/callbacks.h
// runs them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/metric.h"
#include "model/optimizer.h"

namespace wt::train {

// Whether a quantity is better when it is smaller or when it is larger. Keras finds this out itself in mode auto.
enum class Mode : std::uint8_t { automatic, min, max };

// Ends the training when a quantity has not improved for `patience` epochs.
struct EarlyStopping {
  std::string monitor = "val_loss";
  double min_delta = 0;
  std::int64_t patience = 0;
  Mode mode = Mode::automatic;
  std::optional<double> baseline{};
  bool restore_best_weights = false;
  std::int64_t start_from_epoch = 0;
};

// Multiplies the learning rate by `factor` when a quantity has not improved for `patience` epochs.
struct ReduceLROnPlateau {
  std::string monitor = "val_loss";
  double factor = 0.1;
  std::int64_t patience = 10;
  Mode mode = Mode::automatic;
  double min_delta = 1e-4;
  std::int64_t cooldown = 0;
  double min_lr = 0;
};

// Sets the learning rate at the beginning of each epoch. Keras calls a function of the epoch; this is a table of its
// values, of which the last one holds for all further epochs.
struct LearningRateScheduler {
  std::vector<double> schedule{};
};

// Saves the model's weights, as safetensors or as Keras reads them, at the end of each epoch or after each `save_freq` steps.
// After a step, the results are those of its epoch so far. They lack those of an evaluation, without which Keras 2 saves
// nothing as the best and Keras 3 everything.
struct ModelCheckpoint {
  std::string filepath{};  // with fields as in Python: "weights/{epoch:02d}-{val_loss:.2f}.safetensors"
  std::string monitor = "val_loss";
  bool save_best_only = false;
  Mode mode = Mode::automatic;
  std::optional<std::int64_t> save_freq{};  // steps; absent: Keras' "epoch"
  std::optional<double> initial_value_threshold{};
};

// Saves the whole state of the training at the end of each epoch, or after each `save_freq` steps. A training that was
// interrupted continues from there when it begins again: Keras 2 behind the last step that was saved, Keras 3 with the
// first step of its epoch. The state is a checkpoint of ours, backup_dir/chief/ckpt-1.safetensors.
struct BackupAndRestore {
  std::string backup_dir{};
  std::optional<std::int64_t> save_freq{};  // steps; absent: Keras' "epoch"
  bool delete_checkpoint = true;            // when the training ends
  bool save_before_preemption = false;
};

// Writes a line with the results of each epoch.
struct CSVLogger {
  std::string filename{};
  std::string separator = ",";
};

// Ends the training after a step whose loss is NaN or infinite.
struct TerminateOnNaN {};

// How often steps are written: Keras' "epoch" (none of them), "batch" (each), or a number of steps.
struct UpdateFrequency {
  std::optional<std::int64_t> steps{};
};

// Writes event files, which TensorBoard draws: losses and metrics of each epoch and of steps, in folders for training and
// validation as Keras has them. Steps per second, and the wall time of each event, are simulated.
struct TensorBoard {
  static constexpr std::string_view train_folder = "train";
  static constexpr std::string_view validation_folder = "validation";
  std::string log_dir = "logs";
  UpdateFrequency update_freq{};
  bool write_steps_per_second = false;

  // Keras' name has the time, the host and the process in it. This one is the same for each run.
  std::string file_in(std::string_view folder) const {
    return log_dir + "/" + std::string(folder) + "/events.out.tfevents.0.windtunnel.v2";
  }
};

using Callback = std::variant<EarlyStopping, ReduceLROnPlateau, LearningRateScheduler, ModelCheckpoint,
                              BackupAndRestore, CSVLogger, TerminateOnNaN, TensorBoard>;

// Keras' classes, in the order of the variant.
struct CallbackClass {
  std::string_view name{};
  std::string_view summary{};
};
inline constexpr std::array<CallbackClass, std::variant_size_v<Callback>> callback_classes{{
    {"EarlyStopping", "ends the training when a result has not improved for some epochs"},
    {"ReduceLROnPlateau", "lowers the learning rate when a result has not improved for some epochs"},
    {"LearningRateScheduler", "sets the learning rate of each epoch, from a list"},
    {"ModelCheckpoint",
     "saves the weights, as safetensors or .weights.h5, after epochs or steps, or only the best"},
    {"BackupAndRestore", "saves the state of the training, from which it continues when it was interrupted"},
    {"CSVLogger", "writes the results of each epoch to a CSV file"},
    {"TerminateOnNaN", "ends the training when a loss is not finite"},
    {"TensorBoard", "writes losses, metrics and simulated steps per second to files that TensorBoard draws"},
}};
inline std::string_view name_of(const Callback& callback) { return callback_classes[callback.index()].name; }

bool is_of_evaluation(std::string_view result);  // "val_loss"

// Whether the callback changes the learning rate. Such a callback adds the rate to the results of each epoch.
bool sets_learning_rate(const Callback& callback);

// What Keras 2 and 3 call the learning rate among the results of an epoch.
std::string_view name_of_rate(model::Semantics semantics);

// What a model is compiled with, as far as callbacks depend on it.
struct CallbackFacts {
  const model::Optimizer& optimizer;
  std::vector<model::Metric> metrics{};  // of all outputs, by the names that they are given
  std::vector<std::string> logs{};  // the names of all results of an epoch: "loss", "accuracy", "val_loss"
  model::Semantics semantics = model::default_semantics;
  bool is_timed = false;                          // whether steps have a simulated time
  std::optional<std::int64_t> steps_per_epoch{};  // none where an epoch has no end
  std::string without_backup{};                   // the strategy, if Keras 2 refuses to back up its trainings
};

// A callback that cannot do its work in this training. Keras finds out at the end of the first epoch, or the callback
// never does anything there, if no result has the name that it watches. `key` is the callback's argument.
struct CallbackProblem {
  std::string_view key{};
  std::string fact{};
  std::string remedy{};
};
std::vector<CallbackProblem> problems_of(const Callback& callback, const CallbackFacts& facts);

}  // namespace wt::train
