#pragma once
// The explicit form of a schedule: every move with its dependencies. An algorithm doesn't state dependencies;
// they are derived from the order in which its moves read and write slots.

#include "collective/schedule.h"

namespace wt::collective {

enum class Until : std::uint8_t {
  sent,  // The bytes of the move have left, so its source may be overwritten.
  done   // The target has its new value.
};

struct Dependency {
  int move = 0;
  Until until{};
  auto operator<=>(const Dependency&) const = default;
};

// A move and its dependencies. The bytes of a reduction land in a buffer of their own and wait there until
// the dependencies in `apply` allow the addition, so transfers may overlap while sums keep their order. The
// bytes of a copy land in the target slots themselves, and the copy is done when they have arrived. A copy
// has dependencies in `apply` only in imported programs, which buffer what arrives.
struct Step {
  Move move{};
  std::vector<Dependency> start{};  // before the bytes may flow; ascending
  std::vector<Dependency> apply{};  // before they may be added, or put in place; ascending
  bool operator==(const Step&) const = default;
};

struct Expanded {
  std::string name{};
  Contract contract{};
  std::vector<Step> steps{};
  bool operator==(const Expanded&) const = default;
};

// What becomes of dependencies that others imply. They change neither values nor times. To find them takes memory
// that grows with the square of the number of moves, so large schedules that are only timed keep them.
enum class Implied : std::uint8_t { removed, kept };

// All moves in the order of their rounds. Memory grows with the number of moves, so expand a large schedule only
// if stretches_of (schedule.h) doesn't suffice.
Expanded expand(const Schedule& schedule, Implied implied = Implied::removed);

// Removes the dependencies that others imply. Requires: no moves that wait for each other in a cycle.
void reduce_dependencies(std::vector<Step>& steps);

// The figures by which papers compare algorithms: latencies and bytes.
struct Extent {
  std::int64_t moves = 0;
  int depth = 0;               // moves between ranks on the critical path: latencies paid one after the other
  std::int64_t most_sent = 0;  // elements that the busiest rank sends, without moves within the rank
  std::int64_t most_received = 0;  // likewise; helpers don't count in either
};
Extent extent_of(const Expanded& schedule);

}  // namespace wt::collective
