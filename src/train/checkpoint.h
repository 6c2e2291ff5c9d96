#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "train/distributed/variable.h"
#include "train/server_variable.h"
#include "train/state.h"

namespace wt::train {

// The epochs and steps that a training has completed.
struct Progress {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;           // of all epochs
  std::int64_t steps_of_epoch = 0;  // of the epoch that has begun: behind whole epochs
  friend bool operator==(const Progress&, const Progress&) = default;
};

// Saves and restores all variables of a state, or variables of a program on parameter servers by the names
// that the program gives them, as tf.train.Checkpoint does. A checkpoint has one value per variable, however
// many replicas or shards there are, so it can be restored under any strategy. The checkpoint "folder/ckpt-3"
// is the file folder/ckpt-3.safetensors. As in TensorFlow, the text file folder/checkpoint is an index that
// names the newest:
//
//   model_checkpoint_path: "ckpt-3"
//   all_model_checkpoint_paths: "ckpt-2"
//   all_model_checkpoint_paths: "ckpt-3"
class Checkpoint {
 public:
  // `keep` is the number of newest checkpoints that remain after a save. If it is unset, all remain.
  explicit Checkpoint(State& state, std::optional<std::int64_t> keep = {});
  explicit Checkpoint(const std::map<std::string, ServerVariable>& variables,
                      std::optional<std::int64_t> keep = {});
  explicit Checkpoint(const std::map<std::string, Variable>& variables,
                      std::optional<std::int64_t> keep = {});

  // Saves to the next number of a prefix such as "folder/ckpt", and returns "folder/ckpt-3". Creates the
  // folder if it does not exist. The file is complete when it appears, and the index names it only
  // afterwards.
  std::filesystem::path save(const std::filesystem::path& prefix, const Progress& progress = {});
  // The same to a given number. A checkpoint that has it is replaced, and becomes the newest.
  std::filesystem::path save_as(const std::filesystem::path& prefix, std::int64_t number,
                                const Progress& progress = {});

  // Restores a checkpoint. Variables that the state does not have yet receive their values when they are
  // added. Throws InputError, and changes no variable, if the file is truncated, was altered or is not a
  // checkpoint, or if it lacks a variable or has it with another shape or type.
  Progress restore(const std::filesystem::path& path);

 private:
  // What is saved, and where restored values go.
  struct Variables {
    std::function<std::vector<std::pair<std::string, TensorSpec>>()> specs{};
    std::function<Tensor(const std::string& name)> read{};
    std::function<void(const std::map<std::string, Tensor>& stored)> restore{};
  };
  Variables variables_;
  std::optional<std::int64_t> keep_;
};

// tf.train.latest_checkpoint: the newest checkpoint according to the folder's index, or none if there is no
// index. Throws InputError if the index is malformed, or if the file that it names is missing.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

}  // namespace wt::train
