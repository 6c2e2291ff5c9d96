#pragma once
// The explicit form of a schedule: every move, and what it waits for. Nobody writes these dependencies: they
// follow from who reads and writes what, in the order of the rounds.

#include "collective/schedule.h"

namespace wt::collective {

enum class Until : std::uint8_t {
  sent,  // its bytes have left: its source may be written
  done   // its target has the new value
};

struct Dependency {
  int move = 0;
  Until until{};
  auto operator<=>(const Dependency&) const = default;
};

// A reduction's bytes land in a slot of their own, and wait there until `apply` lets them be added: arrivals
// overlap, sums keep their order. A copy's bytes land in the target itself, and it is done when they have
// arrived; unless it has something to wait for in `apply`, as imported programs have, which buffer what
// arrives.
struct Step {
  Move move{};
  std::vector<Dependency> start{};  // bytes may flow; ascending
  std::vector<Dependency> apply{};  // they may be added, or put in place
  bool operator==(const Step&) const = default;
};

struct Expanded {
  std::string name{};
  Contract contract{};
  std::vector<Step> steps{};
  bool operator==(const Expanded&) const = default;
};

// Without redundant dependencies: none that others imply.
Expanded expand(const Schedule& schedule);

// Leaves out dependencies which others imply. Requires: no circle.
void reduce_dependencies(std::vector<Step>& steps);

struct Extent {
  std::int64_t moves = 0;
  int depth = 0;  // moves on the longest way from beginning to end: latencies paid one after the other
  std::int64_t most_sent = 0;      // elements, of the rank that sends most
  std::int64_t most_received = 0;  // helpers and moves within a rank don't count
};
Extent extent_of(const Expanded& schedule);

}  // namespace wt::collective
