#pragma once
// What several queues do, told to one: tasks for the first of them, each of which hands a node to the queue it belongs
// to, with the events that it waits for and leaves behind. So a step of many queues is captured, and replayed, as that
// of one queue is; to CUDA it becomes one graph, in which the events are nothing but edges.

#include <span>
#include <vector>

#include "device/queue.h"
#include "plan/plan.h"

namespace wt::execute {

// Queues that begin when the first of them is ready, and are done when it says so.
struct Team {
  device::Queue* leader = nullptr;
  std::vector<device::Queue*> others{};
};

class Relay {
 public:
  // Requires: the team has the queue of every node; it and the queues outlive the relay. Queues and tasks are by node.
  Relay(const plan::Plan& plan, std::span<const plan::NodeId> order, const Team& team,
        std::span<device::Queue* const> queues, std::span<const device::Task> tasks);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::vector<device::Task> tasks() const;  // for the leader, in order

 private:
  struct Leg {
    device::Queue* queue = nullptr;
    device::Task task{};
    std::vector<const device::Event*> awaits{};
    device::Event* leaves = nullptr;  // none: nobody waits for it
  };
  static void start(const void* team, device::Queue& leader);
  static void run(const void* leg, device::Queue& leader);
  static void finish(const void* team, device::Queue& leader);

  const Team& team_;
  std::vector<device::Event> events_;  // by node
  std::vector<Leg> legs_{};            // in order
};

}  // namespace wt::execute
