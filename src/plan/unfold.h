#pragma once
// Replaces the one task that stands for a class of equal tasks by all tasks of the class. It is needed when
// one of them is slowed down, since they are then no longer equal.

#include <span>

#include "plan/condense.h"

namespace wt::plan {

struct Unfolded {
  Timed timed{};                // with the devices of the first task, then of the second, and so on
  std::vector<NodeId> first{};  // by node of the original plan, the node of the first task
};

// `tasks` lists the devices of each task in the order of the devices of `one`; the first task is `one`
// itself. Each Collective stays one node and waits for all tasks.
Unfolded unfolded(const Timed& one, std::span<const std::vector<Device>> tasks);

}  // namespace wt::plan
