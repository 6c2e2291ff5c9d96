#pragma once
// A step whose variables are cut into shards, as tf.distribute.experimental.partitioners do it (TensorFlow 2.x,
// sharded_variable.py). Each shard is a variable of its own, "table/part_0", with the optimizer's slots that
// belong to it: so it has a server of its own, and its rows of the gradient are sent there. Replicas that read
// the whole variable concatenate the shards.

#include <vector>

#include "model/partitioner.h"
#include "strategy/replicas.h"

namespace wt::strategy {

// The same training step on shards; without a partition the step as it is. Only variables that are assigned in step with all replicas are cut
// (is_on_write); an optimizer's slots are cut as their variable is.
Step with_shards(const Step& step, const model::Partition& partition);

// "table/part_0"
std::string shard_name(const std::string& variable, std::size_t shard);

}  // namespace wt::strategy
