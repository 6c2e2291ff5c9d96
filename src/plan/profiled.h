#pragma once
// Costs from a profile of measured kernels, with the roofline for calls that were not measured.

#include <span>

#include "plan/profile.h"
#include "plan/roofline.h"

namespace wt::plan {

// The costs of the roofline, replaced by measured ones on the devices of the profile's type. A call that the
// profile lacks takes the time of the roofline times a correction: the median, over measured calls of its
// kind, of measured over roofline time. The basis of the costs states how many calls were corrected. Throws
// InputError if the profile has none of the plan's calls.
Costs profiled(const Plan& plan, std::span<const device::DeviceType* const> types,
               const RooflineOptions& options, const Profile& profile);

// Adds the plan's calls that `source` has to `target`, the profile of another device. Their times are
// multiplied by the ratio of the two devices' rooflines.
void transfer(const Profile& source, const device::DeviceType& source_type, const Plan& plan,
              std::span<const device::DeviceType* const> types, const RooflineOptions& options,
              Profile& target);

// By node, the text of its call (call_of) if its device has this type, and an empty text otherwise.
std::vector<std::string> calls_of(const Plan& plan, std::span<const device::DeviceType* const> types,
                                  std::string_view type);

}  // namespace wt::plan
