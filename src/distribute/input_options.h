#pragma once
// Which of tf.distribute.InputOptions a strategy takes, by the name of its class.

#include <string_view>

#include "data/distribute.h"

namespace wt::distribute {

// Throw train::NotImplementedError, ValueError or InputError for options that TensorFlow's strategy refuses.
void require_options_of_dataset(std::string_view strategy, const data::InputOptions& options);
void require_options_of_function(std::string_view strategy, const data::InputOptions& options);

// The replication that a function's datasets get: strategies that don't know PER_REPLICA, and don't refuse it, make one
// input pipeline for each worker.
data::InputReplication replication(std::string_view strategy, const data::InputOptions& options);

// Throws ValueError where replica code runs: the next element is for all replicas.
void require_outside_of_replicas();

}  // namespace wt::distribute
