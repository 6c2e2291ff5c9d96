#pragma once
// The machine at hand as a device type of a platform, by the name this_machine: equal copies of it behind any
// network.

#include <optional>

#include "base/json.h"
#include "plan/profile.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Whether the platform's devices are this machine's; without a platform they are, where time is measured.
bool uses_this_machine(const Scenario& scenario);

// What "platform" says, with this machine's description (PlatformChoice::this_machine) in place of its name.
// None: there is no platform. Throws InputError where nothing measured what this machine takes.
std::optional<json::Value> platform_of(const Scenario& scenario);

// That "compute" names. None: it names none. Throws InputError with everything that is wrong in the file.
std::optional<plan::Profile> profile_of(const Scenario& scenario);

}  // namespace wt::scenario
