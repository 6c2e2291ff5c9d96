#pragma once
// Writes a timeline in a format that trace viewers draw.

#include <span>
#include <string>

#include "plan/timeline.h"
#include "platform/platform.h"

namespace wt::report {

// One step as a Chrome trace ("Trace Event Format"), which ui.perfetto.dev and chrome://tracing draw. Each
// device is a process with one track per stream. The links are one more process, with a track for each link
// that carried bytes. Times are simulated. `where` gives the endpoint of each device of the plan on the
// platform. `ended` states how the job ended if it ended early, and is empty otherwise.
std::string chrome_trace(const plan::Plan& plan, const plan::Timeline& timeline,
                         const platform::Platform& platform, std::span<const platform::Endpoint> where,
                         std::string_view ended = {});

}  // namespace wt::report
