#pragma once
// Writes the summary of a simulated step, as the member "simulated" of results.json and as text.

#include <string>

#include "base/json_writer.h"
#include "timing/simulated.h"

namespace wt::report {

void write_simulated(json::Writer& out, const timing::Simulated& simulated);
std::string simulated_text(const timing::Simulated& simulated);

}  // namespace wt::report
