#pragma once
// Writes one step in a format that trace viewers draw.

#include <string>

#include "timing/step_picture.h"

namespace wt::report {

// One step as a Chrome trace ("Trace Event Format"), which ui.perfetto.dev and chrome://tracing draw. Each
// device is a process with its tracks, the links are one more process, and an arrow leads from what a bar of another
// track waited for to that bar. Times are simulated. `name` is the plan's. `ended` states how the job ended if it
// ended early, and is empty otherwise.
std::string chrome_trace(const timing::StepPicture& picture, std::string_view platform, std::string_view name,
                         std::string_view ended = {});

}  // namespace wt::report
