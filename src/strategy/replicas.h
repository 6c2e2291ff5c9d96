#pragma once
// A step over several replicas. All of them run the same program, but for the numbers of rows; what differs
// between strategies is where variables live and how values are brought together.
//
// Ports of a plan: replica 0's have the names of the step ("x", "kernel", "loss"), those of replica i > 0
// "<name>/replica_<i>", as TensorFlow calls copies of variables. A scope of replica i > 0 begins with
// "replica_<i>".
//
// Within the program: an all-reduce gives every replica the sum or mean; `reduce` gives it to replica 0, the
// others keep their own value; a broadcast gives replica 0's; a gather all rows, which may be uneven where
// nothing in the step reads them. A variable's new value is brought together by its aggregation where it is
// on_write (automatic is), unless it is only_first_replica and all compute the same; none: each copy has its own.
// on_read variables are a copy per replica, which who reads them brings together.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/name.h"
#include "plan/plan.h"
#include "program/program.h"
#include "strategy/draft.h"
#include "strategy/place.h"
#include "strategy/replica.h"

namespace wt::strategy {

// How many replicas some places stand for, which are alike: same device, same rows, same neighbours. Collectives
// then stay whole (plan::Collective), so the plan is for its time. Not given: for themselves, all expanded.
using StandFor = std::optional<std::size_t>;

// One per replica. Replicas with as many rows may share one.
using Steps = std::span<const Step* const>;

// "kernel" of replica 0, "kernel/replica_1" of replica 1.
std::string port_name(const std::string& name, std::size_t replica);

// InputError unless there is one device for each replica; our own fault unless their programs are one.
void check_replicas(std::string_view strategy, Steps steps, std::span<const Place> places,
                    StandFor stand_for = {});

// Replicas first, in order, then their further devices, then hosts. `replicas_in_all`: also those that the
// places stand for.
std::vector<Replica> add_devices(Draft& draft, std::span<const Place> places, std::size_t replicas_in_all);

// A kernel with the same attributes in all of them: a number of rows among them is a replica's own. Other
// operations are the same always.
bool computes_the_same(Steps steps, std::size_t node);

bool is_on_write(const Variable& variable);
// By value: whether all replicas have the same by construction, computed from mirrored variables and values
// that were brought together. Inputs are each replica's own.
std::vector<bool> mirrored_values(Steps steps);

}  // namespace wt::strategy
