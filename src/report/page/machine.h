#pragma once
// Writes a platform as a drawing with the load of its links, as the member "machine" of a report.

#include <span>

#include "base/json_writer.h"
#include "plan/timeline.h"
#include "platform/formats/drawing.h"

namespace wt::report {

// `links` are the loads during `time`; links that it doesn't name carried nothing.
void write_machine(json::Writer& out, const platform::Drawing& drawing, std::span<const plan::LinkUse> links,
                   Seconds time);

}  // namespace wt::report
