#pragma once
// What a command's options say of this machine's CPU.

#include <optional>
#include <string>

#include "scenario/scenario.h"

namespace wt::session {

// Throws InputError for a name that is no instruction set, or none of this processor's. Empty: the best.
void pin_isa(const std::string& wanted);

// The option's, the scenario's, or all. Throws InputError for none.
int threads_of(std::optional<int> option, const scenario::Scenario& scenario);

}  // namespace wt::session
