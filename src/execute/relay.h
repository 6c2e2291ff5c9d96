#pragma once
// Runs a step of several queues from one of them. The first queue, the leader, gets a task for every node.
// That task enqueues the node on the node's own queue, together with the events for which the node waits and
// the event that is recorded behind it. A step of many queues can then be captured and replayed like a step
// of one queue. In CUDA it becomes one graph, in which the events are edges.

#include <span>
#include <vector>

#include "device/queue.h"
#include "plan/plan.h"

namespace wt::execute {

// Queues that run a step together. The others start when the leader has reached the step, and the leader
// waits for all of them at its end.
struct Team {
  device::Queue* leader = nullptr;
  std::vector<device::Queue*> others{};
};

class Relay {
 public:
  // `queues` and `tasks` are by node. Requires: the queue of every node is in the team, and team and queues
  // outlive the relay.
  Relay(const plan::Plan& plan, std::span<const plan::NodeId> order, const Team& team,
        std::span<device::Queue* const> queues, std::span<const device::Task> tasks);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::vector<device::Task> tasks() const;  // for the leader, in order

 private:
  // A node on its queue.
  struct Leg {
    device::Queue* queue = nullptr;
    device::Task task{};
    std::vector<const device::Event*> awaits{};
    device::Event* leaves = nullptr;  // null if no other queue waits for the node
  };
  static void start(const void* team, device::Queue& leader);
  static void run(const void* leg, device::Queue& leader);
  static void finish(const void* team, device::Queue& leader);

  const Team& team_;
  std::vector<device::Event> events_;  // by node
  std::vector<Leg> legs_{};            // in order
};

}  // namespace wt::execute
