#pragma once
// This machine as a device type of a platform, by the name "this_machine", so that a scenario can put copies
// of it behind any network.

#include <optional>

#include "base/json.h"
#include "plan/profile.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Whether the devices of the platform are of the type this_machine. Without a platform they are, if time is
// measured.
bool uses_this_machine(const Scenario& scenario);

// The value of "platform", with the description of this machine (PlatformChoice::this_machine) in place of
// its name. None: there is no platform. Throws InputError if the rates of this machine were not measured.
std::optional<json::Value> platform_of(const Scenario& scenario);

// The profile that "compute" names, if any. Throws InputError with everything that is wrong in the file.
std::optional<plan::Profile> profile_of(const Scenario& scenario);

}  // namespace wt::scenario
