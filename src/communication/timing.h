#pragma once
// The time of one collective that has the machine to itself. All ranks begin together, unless the call says
// otherwise.

#include <string>
#include <vector>

#include "collective/expand.h"
#include "communication/call.h"
#include "plan/timeline.h"

namespace wt::communication {

// Whether all messages of a schedule are simulated (expanded), or only a part from which the rest follows
// (folded). Messages that begin and end together are simulated once (simulate/classes.h), rounds of one kind
// once (lockstep.h), and long pipelines until each further piece takes as long as the piece before
// (pipeline.h). The last two check their condition in the simulation; if it doesn't hold, all rounds and
// pieces are simulated. If a pipeline is too long for that, its time follows from fewer and larger pieces.
// `automatic` and `folded` are timed in the same way; with `folded`, callers warn or refuse if nothing could be
// folded.
enum class Folding : std::uint8_t { automatic, expanded, folded };

struct Timing {
  Seconds time{};
  std::vector<plan::LinkUse> links{};
  std::int64_t moves = 0;   // moves of the schedule
  std::int64_t played = 0;  // moves that were simulated
  int pieces = 0;           // number of larger pieces that replaced those of the library; 0: not replaced
};

// The call with a vector that is rounded up to chunks of equal size, as libraries align chunks, so that rounds
// and pieces are alike. Where an algorithm states the size of its chunks, as TensorFlow's ring does, the last ones
// are filled: in a ring every rank waits for full chunks anyway. Vectors with fewer elements than chunks stay as
// they are, and so does a schedule of few moves.
Call with_equal_chunks(Call call);

// The time of with_equal_chunks(call). Throws InputError with the number of moves if too many would have to be
// simulated.
Timing time_of(const Call& call, const Group& group, Type type, Folding folding = Folding::automatic);

// The time of a schedule that is not from the catalog. `call` has the costs of messages.
Timing time_of(const collective::Expanded& schedule, const Call& call, const Group& group, Type type);

// The part of a measured collective of this size that the launch must have taken. This one number calibrates the
// model for a system. It is negative if the measurement is shorter than the simulated messages alone.
Seconds launch_time_from(Seconds measured, Bytes bytes, const Group& group,
                         collective::Operation operation = collective::Operation::all_reduce);

// Sets the launch of a call so that an all-reduce of this size takes the measured time. If its messages alone take
// longer, it begins at once, and all latencies of the library are shortened by one factor.
void set_launch(CallOptions& options, Seconds measured, Bytes bytes, const Group& group);

// A call as the plan that is simulated, with its costs and the places of its devices. Traces are drawn from
// it.
struct Played {
  plan::Plan plan{};
  plan::Costs costs{};
  std::vector<platform::Endpoint> where{};
};
Played expanded_plan(const collective::Expanded& schedule, const Call& call, const Group& group, Type type);

}  // namespace wt::communication
