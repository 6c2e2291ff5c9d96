#pragma once
// A step over several replicas. All of them run the same program and differ only in the number of rows.
// Strategies differ in where variables live and how the values of replicas are brought together.
//
// Ports of a plan: replica 0's have the names of the step ("x", "kernel", "loss"), those of replica i > 0
// "<name>/replica_<i>", as TensorFlow calls copies of variables. A scope of replica i > 0 begins with
// "replica_<i>".
//
// Operations of the program across replicas:
// - an all-reduce gives every replica the sum or the mean;
// - a reduce gives it to replica 0, and the others keep their own value;
// - a broadcast gives every replica the value of replica 0;
// - a gather gives every replica the rows of all. Their numbers may differ if nothing in the step reads them.
// The new value of an on_write variable (automatic is on_write) is brought together by the variable's
// aggregation, unless that is only_first_replica and all replicas compute the same. Without an aggregation
// each copy has its own value. Each replica has its own copy of an on_read variable, and the reader brings
// the copies together.

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

// The number of replicas that some places stand for because all replicas are alike: same device, same rows,
// same neighbours. Collectives then stay whole (plan::Collective), so the plan has a time and no numbers.
// Absent: the places are all replicas, and collectives are expanded to moves and sums.
using StandFor = std::optional<std::size_t>;

// One per replica. Replicas with as many rows may share one.
using Steps = std::span<const Step* const>;

// "kernel" of replica 0, "kernel/replica_1" of replica 1.
std::string port_name(const std::string& name, std::size_t replica);

// Throws InputError unless there is one device for each replica. Requires: all steps have the same program.
void check_replicas(std::string_view strategy, Steps steps, std::span<const Place> places,
                    StandFor stand_for = {});

// Adds the devices of the replicas, in order, then their further devices, then hosts. `replicas_in_all` also
// counts the replicas that the places stand for.
std::vector<Replica> add_devices(Draft& draft, std::span<const Place> places, std::size_t replicas_in_all);

// Whether the node is a kernel with the same attributes in all steps: an attribute may be a number of rows,
// which replicas have for themselves. Other operations are always the same.
bool computes_the_same(Steps steps, std::size_t node);

bool is_on_write(const StepVariable& variable);
// For each value whether it is the same on all replicas by construction: computed from mirrored variables and
// from values that were brought together. Every replica has inputs of its own.
std::vector<bool> mirrored_values(Steps steps);

}  // namespace wt::strategy
