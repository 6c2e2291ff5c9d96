#pragma once
// Writes what each device holds, at the peak and over the step, as the member "memory" of a report.

#include "base/json_writer.h"
#include "plan/memory_report.h"
#include "plan/timeline.h"

namespace wt::report {

// `timeline` is null where no time is known; memory is then drawn over the order of the plan.
void write_memory(json::Writer& out, const plan::Plan& plan, const plan::MemoryReport& report,
                  const plan::Timeline* timeline);

}  // namespace wt::report
