#pragma once
// What one checkpoint takes of a training. As a rule the training waits until all of it is written. An asynchronous one
// (TensorFlow's CheckpointOptions, experimental_enable_async_checkpoint) is first copied to the memory of the host, and then
// written while the training goes on; the next one waits for that. Where rows are read from the same storage, reading and
// writing have fair shares of its speed: the one gets half of it, and what the other leaves.

#include <algorithm>
#include <optional>

#include "session/training_clock.h"

namespace wt::session {

struct Saving {
  std::optional<Seconds> waits{};  // the training, for it; unset: nothing is known
  Seconds written{};               // beside the training, after that
  Seconds rows{};                  // of a step of a whole batch, that are read while a checkpoint is written

  // A step while a checkpoint is written, if it takes so long else.
  Seconds step_beside(Seconds step) const { return std::max(step, rows); }
};

// Requires: the scenario has a platform.
Saving saving_of(const scenario::Scenario& scenario, const scenario::Job& job, TrainingClock& clock);

}  // namespace wt::session
