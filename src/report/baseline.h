#pragma once
// Writes what a speed-up and an efficiency are relative to (timing::Baseline), in the same words everywhere.

#include <string>

#include "report/records.h"
#include "timing/simulated.h"

namespace wt::report {

std::string_view scaling_name(const timing::Baseline& baseline);  // "weak" or "strong"
std::string alone_text(const timing::Baseline& baseline);         // "one device with 64 rows"
// "; 4096 rows do not fit into its memory, and its time is simulated as if they did"; empty: they fit.
std::string memory_text(const timing::Baseline& baseline);

void write_baseline(json::Writer& out, const timing::Simulated& simulated);

// Cells of a table with a row for each training. Requires: there is a baseline.
Cell speed_up_cell(const timing::Simulated& simulated);
Cell efficiency_cell(const timing::Simulated& simulated);
Cell baseline_cell(const timing::Simulated& simulated);  // weak or strong
Cell baseline_devices_cell(const timing::Simulated& simulated);
Cell baseline_rows_cell(const timing::Simulated& simulated);
Cell baseline_rate_cell(const timing::Simulated& simulated);
Cell baseline_memory_cell(const timing::Simulated& simulated);

}  // namespace wt::report
