#pragma once
// Where a plan's order crosses from queue to queue. Nodes of one queue follow each other as they are enqueued; between
// queues events keep the order, as few as do.

#include <span>
#include <vector>

#include "plan/plan.h"

namespace wt::execute {

struct Handover {
  std::vector<plan::NodeId> awaits{};  // nodes of other queues, whose events this one waits for
  bool is_awaited = false;             // an event is recorded behind it
};

// By node. What a queue has waited for, itself or through those it waited for, it doesn't wait for again.
// Requires: a legal order; `queues` numbers each node's queue from 0.
std::vector<Handover> handovers(const plan::Plan& plan, std::span<const plan::NodeId> order,
                                std::span<const std::size_t> queues);

}  // namespace wt::execute
