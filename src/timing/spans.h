#pragma once
// When something was going on.

#include <vector>

#include "plan/timeline.h"

namespace wt::timing {

using Spans = std::vector<plan::Span>;

Spans merged(Spans spans);  // sorted, apart from each other
Spans together(Spans spans, const Spans& more);
Seconds length(const Spans& spans);  // Requires: merged.

}  // namespace wt::timing
