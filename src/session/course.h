#pragma once
// The course of a scenario's training through the failures that the scenario describes (timing/job_course.h), with its
// steps, evaluations and checkpoints as they follow each other.

#include "session/training_clock.h"
#include "timing/job_course.h"
#include "timing/job_time.h"

namespace wt::session {

// The training as if nothing failed. Saves are those from which it can be started again: the scenario's checkpoints, or
// those of BackupAndRestore. Requires: the scenario has a platform, and the step fits into its devices.
timing::Undisturbed undisturbed(const scenario::Scenario& scenario, const scenario::Job& job,
                                TrainingClock& clock);

// `first` is the step with which the training begins, if it continues a checkpoint.
timing::JobCourse course_of(const scenario::Scenario& scenario, const scenario::Job& job,
                            TrainingClock& clock, std::int64_t first);

// The time of the job as it was played, in place of the one with the failures that are expected.
void add_course(timing::JobTime& job, const timing::JobCourse& course);

// Whether a training that BackupAndRestore continues within an epoch reads the epoch's first batches again, as in Keras 2.
bool rereads_epochs(const scenario::Scenario& scenario);

// Throws InputError for restarts that can't be predicted.
void check_restarts(const scenario::Scenario& scenario, const scenario::Job& job);

}  // namespace wt::session
