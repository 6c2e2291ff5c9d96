#pragma once
// What of a training's state is kept in files: checkpoints from time to time, one to begin with, weights at
// the end.

#include <functional>
#include <string>

#include "base/output_folder.h"
#include "session/training_plans.h"
#include "train/checkpoint.h"

namespace wt::session {

class SavedState {
 public:
  // Requires: all of them outlive it.
  SavedState(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans)
      : scenario_(scenario), job_(job), plans_(plans) {}

  // From the checkpoint that the scenario begins with, if there is one: how far it had come. `note` is told
  // of variables that nobody uses. Throws InputError where nothing is left to train.
  train::Progress restore(const std::function<void(const std::string&)>& note);

  // After so many epochs and steps of the whole training, where the scenario wants a checkpoint then.
  void save(const train::Progress& done, OutputFolder& folder);

  // Into a state that has seen nothing yet: the newest checkpoint in the folder. The training's own values
  // are given up, since a GPU may have no room for both. Requires: one was saved.
  void restore_newest(train::State& fresh, OutputFolder& folder);

  void save_weights(OutputFolder& folder);

 private:
  void require_something_left(const train::Progress& done) const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
};

// Every problem of the names that a scenario gives to what is saved.
void check_output_names(const scenario::Scenario& scenario);

}  // namespace wt::session
