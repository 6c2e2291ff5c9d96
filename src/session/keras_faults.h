#pragma once
// The faults of TensorFlow and Keras that a scenario meets (train/keras_faults.h), known before it is run.

#include <optional>
#include <vector>

#include "session/results.h"
#include "session/training_plans.h"

namespace wt::session {

// The first fault that ends the training. It comes before the first step, or in place of the first evaluation.
std::optional<EndedByFault> fault_that_ends(const scenario::Scenario& scenario, const scenario::Job& job,
                                            TrainingPlans& plans);

// All faults, with those that change numbers and what Keras no longer checks among them. Each has a remedy.
std::vector<Problem> faults_of(const scenario::Scenario& scenario, const scenario::Job& job,
                               TrainingPlans& plans);

}  // namespace wt::session
