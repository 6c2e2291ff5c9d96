#pragma once
// Long repetitions by their beginnings. Three beginnings are simulated, each some rounds longer than the one
// before. Where all nodes move by equal times from one to the next, every further round takes as long.

#include "communication/timing.h"

namespace wt::communication {

// The first beginning has from first_rounds to most_rounds rounds. Each next one has more_rounds more, so that
// growth that repeats after 1, 2, 4 or 8 rounds is found to be steady.
inline constexpr int first_rounds = 24;
inline constexpr int more_rounds = 8;
inline constexpr int most_rounds = 192;
// At least `rounds`, and some whole steps of more_rounds from the end: growth may alternate within a step.
constexpr int begin_with(int rounds, int all) { return rounds + (all - rounds) % more_rounds; }
constexpr int rounds_of_beginnings(int first) { return 3 * (first + more_rounds); }
// Activities that are simulated, of a beginning and of a whole repetition.
inline constexpr std::int64_t most_activities = 1'000'000;
inline constexpr std::int64_t affordable_activities = 1'500'000;

struct Beginning {
  Timing timing{};
  std::vector<plan::Span> last{};  // by node, in the last round
};

// Whether from one beginning to the next, the end and all nodes move by equal times, and no node by more than
// the end; otherwise that node would determine the end later on.
bool are_steady(const Beginning& first, const Beginning& second, const Beginning& third);

// The second timing, extended by `times` the difference from the first one.
Timing continued(const Timing& first, const Timing& second, int times);

}  // namespace wt::communication
