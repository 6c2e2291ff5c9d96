#pragma once
// Corrects the costs of a library's calls by what was measured on the system at hand (platform/calibration.h).

#include <optional>
#include <string_view>

#include "communication/call.h"

namespace wt::communication {

// What the times of a call rest on that was corrected.
inline constexpr std::string_view basis_of_calibrated = "calibrated by you";

// Applies the factors of the group's platform to the call, if it has any for this call.
void calibrate(Call& call, const Group& group);

void correct(Call& call, const platform::CallFactors& factors);

// The key under which the factors of such calls stand: "ll128", "switches", "wires".
std::string_view library_part(const Call& call);
std::optional<platform::CallFactors>& factors_for(const Call& call, platform::LibraryFactors& factors);
bool is_between_machines(const Group& group);

}  // namespace wt::communication
