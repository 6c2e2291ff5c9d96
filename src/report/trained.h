#pragma once
// What a training computed, step by step and epoch by epoch: as the results' JSON has it, as CSV, and for
// people.

#include <string>

#include "base/json_writer.h"
#include "session/results.h"

namespace wt::report {

// The members "steps", "epochs", "evaluation" and "final". A loss that is no number any more (NaN, infinite)
// is null.
void write_trained(json::Writer& out, const session::Results& results);

std::string steps_csv(const session::Results& results);
std::string epochs_table(const session::Results& results);  // a row per epoch

}  // namespace wt::report
