#pragma once
// Writes a step's bars as the member "timeline" of a report.

#include "base/json_writer.h"
#include "timing/step_picture.h"

namespace wt::report {

// A report holds at most this many bars. Of a larger step, whole tracks are left out, links first.
inline constexpr std::size_t most_bars = 40'000;

void write_timeline(json::Writer& out, const timing::StepPicture& picture, std::size_t most = most_bars);

}  // namespace wt::report
