#pragma once
// What a simulated step came to, as the member "simulated" of results.json and for people.

#include <string>

#include "base/json_writer.h"
#include "timing/simulated.h"

namespace wt::report {

void write_simulated(json::Writer& out, const timing::Simulated& simulated);
std::string simulated_text(const timing::Simulated& simulated);

}  // namespace wt::report
