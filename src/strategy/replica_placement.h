#pragma once
// Places the parts of a step that several replicas run (program/step_placement.h places one of them). A
// strategy runs each replica in a tf.device block of that replica's device. Names are those of a plan: replica
// 0's are the step's own, and another replica's are "dense/kernel/replica_1" and "replica_1/dense/MatMul".

#include <string>
#include <vector>

#include "cluster/machine.h"
#include "program/step_placement.h"
#include "strategy/strategy.h"

namespace wt::strategy {

struct ReplicaPlacement {
  std::size_t replica = 0;
  std::vector<device::Name> devices{};  // the replica's own, and then the CPU that feeds them
  StepPlacement placement{};
};

// Requires: the step is that of this replica. Throws InvalidArgumentError with TensorFlow's text.
ReplicaPlacement place_replica(const Step& step, std::size_t replica, const Strategy& strategy,
                               cluster::Machine& machine, bool soft_placement);

// Whether `other` is the placement of `first` with the names and the devices of another replica.
bool is_alike(const ReplicaPlacement& first, const ReplicaPlacement& other);

// The table of the first replica. Another replica has a line if it is like one before it, and a table of its own
// otherwise.
std::string print(const std::vector<ReplicaPlacement>& replicas);

}  // namespace wt::strategy
