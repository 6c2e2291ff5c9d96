#pragma once

#include <span>
#include <string>

#include "plan/timeline.h"
#include "platform/platform.h"

namespace wt::report {

// One step as a Chrome trace ("Trace Event Format"), which ui.perfetto.dev and chrome://tracing draw: a
// process per device with a track per stream, and a process of links with a track for each one that carried
// something. Times are simulated. `where` says on which endpoint of the platform each device of the plan
// lies, `ended` how a job ended that isn't done.
std::string chrome_trace(const plan::Plan& plan, const plan::Timeline& timeline,
                         const platform::Platform& platform, std::span<const platform::Endpoint> where,
                         std::string_view ended = {});

}  // namespace wt::report
