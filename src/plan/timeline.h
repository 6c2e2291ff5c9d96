#pragma once
// The result of a simulation: when each node of a plan ran, and what each link carried. report/trace.h draws
// it, and plan/occurrence.h lists it in the order of time.

#include <span>

#include "plan/plan.h"

namespace wt::plan {

// The time during which a node runs. A node starts when all of its dependencies have finished and its stream
// is free. For a Move, the latency of the route is part of the span.
struct Span {
  Seconds start{};
  Seconds end{};
};

// The load of one link.
struct LinkUse {
  std::string name{};
  BytesPerSecond bandwidth{};
  Bytes carried{};  // bytes that crossed the link
  Seconds busy{};   // time with at least one flow
};

// A played plan. All times begin with the step at 0.
struct Timeline {
  std::vector<Span> nodes{};     // by node id
  std::vector<LinkUse> links{};  // only links that carried bytes
  Seconds end{};                 // of the last node
};

// Adds the load of `more` to the links of the same name, and appends the links that are new.
void add_links(std::vector<LinkUse>& links, std::span<const LinkUse> more);

}  // namespace wt::plan
