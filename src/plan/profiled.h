#pragma once
// A profile's seconds in the roofline's place.

#include <span>

#include "plan/profile.h"
#include "plan/roofline.h"

namespace wt::plan {

// The roofline's costs, but for the devices of the profile's type: those have what was measured. A call that
// the profile lacks takes what the roofline says, times how much longer than that measured calls of its kind
// take (the median); the basis tells how many. Throws InputError where the profile has none of the plan's calls.
Costs profiled(const Plan& plan, std::span<const device::DeviceType* const> types,
               const RooflineOptions& options, const Profile& profile);

// Adds to `target`, a profile of another device, those of the plan's calls that `source` has, times the ratio
// of their rooflines.
void transfer(const Profile& source, const device::DeviceType& source_type, const Plan& plan,
              std::span<const device::DeviceType* const> types, const RooflineOptions& options,
              Profile& target);

// By node: what its device has to do, where that is of the profile's type; else empty.
std::vector<std::string> calls_of(const Plan& plan, std::span<const device::DeviceType* const> types,
                                  std::string_view type);

}  // namespace wt::plan
