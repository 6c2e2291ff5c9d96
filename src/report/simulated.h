#pragma once
// What a simulated step came to, as the member "simulated" of results.json and for people.

#include <string>

#include "base/json_writer.h"
#include "timing/simulated.h"

namespace wt::report {

void write_simulated(json::Writer& out, const timing::Simulated& simulated);
std::string simulated_text(const timing::Simulated& simulated);

// What makes steps differ or wait: the input pipeline, jitter, slow devices, programs that are compiled beside the
// steps. Empty where one step is like all others.
std::string notes_text(const timing::Simulated& simulated);

}  // namespace wt::report
