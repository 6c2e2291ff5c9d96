#pragma once
// Writes the summary of a simulated step, as the member "simulated" of results.json and as text.

#include <string>

#include "base/json_writer.h"
#include "session/planned.h"
#include "timing/simulated.h"

namespace wt::report {

void write_simulated(json::Writer& out, const timing::Simulated& simulated);
std::string simulated_text(const session::Planned& planned, const timing::Simulated& simulated);

// How rows reach the devices, and what that costs their hosts: "copied ahead, nothing is decoded".
std::string rows_text(const timing::Simulated& simulated);

// What makes steps differ or wait: the input pipeline, jitter, slow devices, programs that are compiled beside the
// steps. Empty where one step is like all others.
std::string notes_text(const timing::Simulated& simulated);

}  // namespace wt::report
