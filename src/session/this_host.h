#pragma once
// The options of a command that concern this machine's CPU.

#include <optional>
#include <string>

#include "scenario/scenario.h"

namespace wt::session {

// Makes all kernels use this instruction set; an empty name leaves the best one. Throws InputError if the
// name is unknown, or if this processor lacks the instruction set.
void pin_isa(const std::string& wanted);

// A sentence about more threads than this machine has processors; empty: there are not too many.
std::string note_on_threads(int threads);

// The number of threads: the option's, else the scenario's, else all of this machine's. Throws InputError if
// the option is below 1.
int threads_of(std::optional<int> option, const scenario::Scenario& scenario);

}  // namespace wt::session
