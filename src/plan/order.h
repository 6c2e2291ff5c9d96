#pragma once
// Derives the dependencies between the nodes of a plan from the buffers that they access.

#include <span>
#include <vector>

#include "plan/plan.h"

namespace wt::plan {

// The accesses to a buffer for which later accesses have to wait: the nodes that wrote it last (several if
// each wrote a part of it), and the nodes that have read it since.
struct Frontier {
  std::vector<NodeId> writers{};
  std::vector<NodeId>
      readers{};  // each runs after all writers; a collective's nodes may also run among the writers

  // The nodes for which a node that overwrites the buffer has to wait.
  std::vector<NodeId> last_accesses() const;
};

// Gives every node the dependencies that its buffers imply if the nodes are meant to run in the order of
// their ids. A read waits for the last write. A write waits for the reads since the last write, or for that
// write if there are none. Returns the frontier of each buffer after the last node.
std::vector<Frontier> order_accesses(Plan& plan);

// The same for the nodes from `first` on. `frontiers` describes the nodes before `first`, and is updated.
void order_accesses(Plan& plan, NodeId first, std::vector<Frontier>& frontiers);

// Adds dependencies to those that exist, in ascending order and without duplicates. Requires: both are
// ascending.
void insert(std::vector<NodeId>& after, std::span<const NodeId> others);
void wait_for(Node& node, std::span<const NodeId> others);

// Whether `order` contains every node once, after all of the node's dependencies.
bool is_legal(const Plan& plan, std::span<const NodeId> order);

std::vector<NodeId> canonical_order(const Plan& plan);  // by id
// A legal order chosen by `seed`. Tests use it to check that every legal order gives the same bits.
std::vector<NodeId> random_legal_order(const Plan& plan, std::uint64_t seed);

}  // namespace wt::plan
