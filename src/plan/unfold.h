#pragma once
// A class of tasks that are alike, once more as many as they are: where one of them is slowed down, they are alike
// no longer.

#include <span>

#include "plan/condense.h"

namespace wt::plan {

struct Unfolded {
  Timed timed{};                // the devices of the first task, then of the next
  std::vector<NodeId> first{};  // by node of the class: the first task's
};

// `tasks`: the devices of each, in the order of the class' own, whose own are the first. Collectives stay whole and
// wait for them all.
Unfolded unfolded(const Timed& one, std::span<const std::vector<Device>> tasks);

}  // namespace wt::plan
