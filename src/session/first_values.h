#pragma once
// The time in which replicas receive the first values of variables. TensorFlow makes variables one after the other, and the
// first replica sends each to all others before it makes the next (mirrored_strategy.py, and collective broadcasts in
// collective_all_reduce_strategy.py). It is spent once, when a model and its optimizer are made, and is in no step.

#include <optional>
#include <span>

#include "cluster/machine.h"
#include "scenario/scenario.h"

namespace wt::session {

// With more tasks than this, the smallest and the largest variable are simulated, and the others lie between.
inline constexpr std::size_t most_tasks_simulated_exactly = 64;
inline constexpr std::size_t most_tasks_of_first_values = 4096;  // no time is simulated for more

// The last task has a value when it has travelled through all tasks, and then to the further devices of a task. So both
// parts are simulated for themselves, the second one in the first task.
//
// Unset: the strategy sends no first values, or there are too many tasks. Requires: the machine has a platform.
std::optional<Seconds> time_of_first_values(const scenario::Scenario& scenario,
                                            const cluster::Machine& machine,
                                            std::span<const TensorSpec> variables);

}  // namespace wt::session
