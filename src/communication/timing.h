#pragma once
// How long one collective takes by itself, all ranks beginning together.

#include <string>
#include <vector>

#include "collective/expand.h"
#include "communication/call.h"
#include "plan/timeline.h"

namespace wt::communication {

// Folded clocks look at a part and know the rest: rounds that are alike are timed once, and of a long pipeline
// the beginning, as soon as each further piece takes as long as the one before. Both say so only where they have
// seen it; else everything is played. Of what is too large for that, vectors are rounded up to equal chunks, and
// pipelines go in fewer, larger pieces.
enum class Folding : std::uint8_t { automatic, expanded, folded };

struct Timing {
  Seconds time{};
  std::vector<plan::LinkUse> links{};
  std::int64_t moves = 0;   // of the schedule
  std::int64_t played = 0;  // of them
  int pieces = 0;           // larger ones than the library's; 0: its own
};

// Throws InputError with the count where too many moves would have to be played.
Timing time_of(const Call& call, const Group& group, Type type, Folding folding = Folding::automatic);

// Of a schedule that isn't the catalog's; `call` says what messages cost.
Timing time_of(const collective::Expanded& schedule, const Call& call, const Group& group, Type type);

// What of a measured all-reduce of so many bytes the launch must have taken: one number that calibrates a system.
Seconds launch_time_from(Seconds measured, Bytes bytes, const Group& group);

// The plan that is played, for traces.
struct Played {
  plan::Plan plan{};
  plan::Costs costs{};
  std::vector<platform::Endpoint> where{};
};
Played expanded_plan(const collective::Expanded& schedule, const Call& call, const Group& group, Type type);

}  // namespace wt::communication
