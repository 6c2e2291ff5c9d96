#pragma once
// The cluster's evaluator: a task that takes no part in the training and evaluates its checkpoints meanwhile, on its own
// machine (TensorFlow's job "evaluator", Keras' SidecarEvaluator). It computes on its first GPU, or on its CPU if it has
// none, in batches as large as the training's.

#include "session/results.h"
#include "session/training_clock.h"
#include "session/training_plans.h"

namespace wt::session {

// Whether an evaluator evaluates the training's checkpoints, in place of the training itself.
bool evaluates_beside(const scenario::Scenario& scenario, const scenario::Job& job);

// The training's end is not that of the job: the evaluator still has the last checkpoint to evaluate.
void add_evaluations_beside(timing::JobTime& job, const Beside& beside);

class Evaluator {
 public:
  // Requires: all outlive this object, and evaluates_beside() holds.
  Evaluator(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans,
            TrainingClock& clock);

  // For models that compute on the evaluator's device.
  train::Resources& resources() { return resources_; }

  // When each of the training's checkpoints was saved and evaluated, if it ends after so many epochs. Throws InputError
  // if a step of an evaluation does not fit into the evaluator's memory.
  Beside beside(std::int64_t epochs);

 private:
  Seconds evaluation();
  Seconds step(std::int64_t rows);
  std::vector<Beside::Evaluation> saved(std::int64_t epochs);

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
  TrainingClock& clock_;
  const cluster::Machine machine_;  // with the evaluator's device as the only replica
  ScenarioLowering lowering_;
  train::Resources resources_;
  train::State state_;
};

}  // namespace wt::session
