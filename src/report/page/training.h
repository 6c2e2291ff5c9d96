#pragma once
// Writes the losses and metrics of a training, by column, as the member "training" of a report.

#include "base/json.h"
#include "base/json_writer.h"

namespace wt::report {

// `results` is the content of results.json. Writes nothing if it has no numbers.
void write_training(json::Writer& out, const json::Value& results);

}  // namespace wt::report
