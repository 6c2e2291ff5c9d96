#pragma once
// Plays a job on SimGrid's clock, in this process and once: see simulate/play.h for the way around that.

#include "simulate/job.h"

namespace wt::simulate {

// Folded, SimGrid plays only flows that share links with others, and of equal components one
// (simulate/flows.h). Expanded, every flow is SimGrid's from the start: the reference for tests.
enum class Folding : std::uint8_t { folded, expanded };

// Throws InternalError when activities wait for each other. Requires: nothing has been played in this
// process.
Outcome play_here(const Job& job, Folding folding);

}  // namespace wt::simulate
