#pragma once
// When everything of a plan happened: what `simulate` answers. Nouns only; report/ draws it.

#include <span>

#include "plan/plan.h"

namespace wt::plan {

// A node starts when what it waits for is done and its stream is free; a Move's start includes its latency.
struct Span {
  Seconds start{};
  Seconds end{};
};

struct LinkUse {
  std::string name{};
  BytesPerSecond bandwidth{};
  Bytes carried{};
  Seconds busy{};  // with at least one flow
};

struct Timeline {
  std::vector<Span> nodes{};     // by node
  std::vector<LinkUse> links{};  // those that carried anything
  Seconds end{};
};

// What links carried at other times, too.
void add_links(std::vector<LinkUse>& links, std::span<const LinkUse> more);

}  // namespace wt::plan
