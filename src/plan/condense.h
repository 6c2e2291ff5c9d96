#pragma once
// Makes a plan smaller without changing its simulated time. Consecutive nodes of one stream are joined into
// one node if no other stream waits for a node in between:
//
//   compute stream of gpu:0   conv2d 2 ms, relu 1 ms, matmul 3 ms   becomes   conv2d 6 ms
//
// The simulation of many steps, or of many replicas of a class, becomes cheap (plan/repeat.h, plan/unfold.h).

#include "plan/costs.h"

namespace wt::plan {

// A plan that can be timed and no longer executed: runs and sums have no operands, and there are no ports.
struct Timed {
  Plan plan{};
  Costs costs{};
};

// The place of an original node inside a joined one: the original runs from `begin` to `end`, counted from
// the start of `node`. The two times hold as long as no device is slowed down.
struct Stretch {
  NodeId node{};
  Seconds begin{};
  Seconds end{};
};

struct Condensed {
  Timed timed{};
  std::vector<Stretch> stretches{};  // by node of the original plan; a Move is never joined
};

Condensed condensed(const Plan& plan, const Costs& costs);

// The devices on which the completion of an action counts: the device of a Run or a Sum, the target of a
// Move, and every device of a Collective.
std::vector<DeviceId> devices_of(const Plan& plan, const Action& action);

// The device whose stream the node occupies. It is absent for Moves, Collectives and nodes without a stream.
std::optional<DeviceId> stream_device(const Node& node);

}  // namespace wt::plan
