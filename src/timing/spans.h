#pragma once
// Sets of time intervals, such as the times during which a device computes.

#include <vector>

#include "plan/timeline.h"

namespace wt::timing {

using Spans = std::vector<plan::Span>;

Spans merged(Spans spans);                       // the union, sorted and without overlaps
Spans together(Spans spans, const Spans& more);  // merged union of both
Seconds length(const Spans& spans);              // Requires: merged.

}  // namespace wt::timing
