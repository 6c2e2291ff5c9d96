#pragma once
// The runs of a plan's nodes in the order of time. A Timeline holds one span for each node; a list of
// occurrences holds one entry for each time that a node runs, sorted by start:
//
//   node 0  count 0  worker 0   0.0 to 2.0 s
//   node 0  count 0  worker 1   0.0 to 2.5 s
//   node 0  count 1  worker 0   2.0 to 4.0 s
//
// One synchronous step has one occurrence per node. Plans that are not one synchronous step, such as those of
// a parameter server with several workers, have more of them, and the order in which they start decides which
// update a worker reads. The entries are plain values, so a list passes through the pipe of simulate/ as it
// is. README.md describes how lists of occurrences are executed.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "plan/timeline.h"

namespace wt::plan {

// One run of a node.
struct Occurrence {
  NodeId node{};
  std::int64_t count = 0;   // earlier runs of the same node on the same worker
  std::int32_t worker = 0;  // the worker that runs the node; 0 in a plan without pools
  Seconds start{};
  Seconds end{};

  bool operator==(const Occurrence&) const = default;
};
static_assert(std::is_trivially_copyable_v<Occurrence>);

// The occurrences of a plan that ran once: one per node of the timeline, with count 0 and worker 0. They are
// sorted by start, and by node id if they start at the same time. In this order each node stands after its
// dependencies (Node::after). It may stand before a node of its Node::slot_after, which does not influence
// time: a reader that executes the list in this order must give such messages slots of their own.
std::vector<Occurrence> occurrences(const Timeline& timeline);

}  // namespace wt::plan
