#pragma once
// The parts of a training's state that are files: the checkpoint that it continues, the checkpoints that it
// saves, and the weights at the end.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/output_folder.h"
#include "session/training_plans.h"
#include "train/checkpoint.h"

namespace wt::session {

class SavedState {
 public:
  // Requires: all arguments outlive this object.
  SavedState(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans)
      : scenario_(scenario), job_(job), plans_(plans) {}

  // Restores the newest checkpoint of the folder that the scenario names, and returns the progress at which
  // it was saved. Returns no progress if the scenario names none. `note` receives the names of variables that
  // the training does not use. Throws InputError if there is no checkpoint, or if no steps are left to train.
  train::Progress restore(const std::function<void(const std::string&)>& note);

  // The steps that the checkpoint which the scenario names was saved after; 0: it names none.
  std::int64_t restored_steps() const;

  // The same for a job that is started again: the newest checkpoint that it has saved itself comes first.
  train::Progress restore_own(OutputFolder& folder, const std::function<void(const std::string&)>& note);

  // Save a checkpoint if the scenario requests one after this progress, which counts from the training's beginning: at
  // the end of an epoch, and after a step within one.
  void save(const train::Progress& done, OutputFolder& folder);
  void save_after_step(const train::Progress& done, OutputFolder& folder);

  // The same for the last epoch of a training that a callback ends early, which is saved in any case.
  void save_last(const train::Progress& done, OutputFolder& folder);

  // Restores the newest checkpoint in the output folder into a fresh state. The training's own values are
  // moved off their devices first, since a GPU may have no room for both. Requires: a checkpoint was saved.
  void restore_newest(train::State& fresh, OutputFolder& folder);

  void save_weights(OutputFolder& folder);

 private:
  void write(const train::Progress& done, OutputFolder& folder);
  train::Progress read(const std::filesystem::path& checkpoint);
  void require_something_left(const train::Progress& done) const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
  std::int64_t saved_steps_ = 0;  // of the newest checkpoint that this training wrote
};

// The folder of this name that an interrupted run into the same place has left, with the newest checkpoint in its folder
// `chief`; none if no run was interrupted. What lies there after a run that came to its end is not continued.
std::optional<std::filesystem::path> backup_of_interrupted(const OutputFolder& folder,
                                                           const std::string& name);

// Throws InputError with every problem of the names that a scenario gives to its checkpoints and weights.
void check_output_names(const scenario::Scenario& scenario);

// Makes the folders of the checkpoints and weights before the training takes its time. Throws InputError at the
// name that cannot be written: it is too long, or the weights have the name of the checkpoints' folder.
void require_output_places(const scenario::Scenario& scenario, OutputFolder& folder);

}  // namespace wt::session
