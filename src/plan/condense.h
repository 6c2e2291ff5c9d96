#pragma once
// A plan that is read for its time alone, made small: what a stream does without anybody waiting for the middle
// of it is one node. Many steps, or many replicas of a class, are then cheap to play.

#include "plan/costs.h"

namespace wt::plan {

// Nothing but its devices, links and seconds counts any more: work has no operands, and there are no ports.
struct Timed {
  Plan plan{};
  Costs costs{};
};

// Where a node of the plan that was condensed is found, after its node's start, while nobody is slowed down.
struct Stretch {
  NodeId node{};
  Seconds begin{};
  Seconds end{};
};

struct Condensed {
  Timed timed{};
  std::vector<Stretch> stretches{};  // by node of the original; of a Move the whole of it
};

Condensed condensed(const Plan& plan, const Costs& costs);

// The devices that a node is a matter of: a Move's target, all of a Collective.
std::vector<DeviceId> devices_of(const Plan& plan, const Action& action);

// A Run or a Sum in its device's stream.
std::optional<DeviceId> stream_device(const Node& node);

}  // namespace wt::plan
