#include "execute/relay.h"

#include <algorithm>

#include "execute/handover.h"

namespace wt::execute {

namespace {

std::vector<std::size_t> numbers_of(std::span<device::Queue* const> queues, const Team& team) {
  std::vector<std::size_t> numbers;
  for (const device::Queue* queue : queues) {
    const auto other = std::ranges::find(team.others, queue);
    WT_EXPECT(queue == team.leader || other != team.others.end(), "the queue of node {} is not in the team",
              numbers.size());
    numbers.push_back(queue == team.leader ? 0 : static_cast<std::size_t>(other - team.others.begin()) + 1);
  }
  return numbers;
}

}  // namespace

Relay::Relay(const plan::Plan& plan, std::span<const plan::NodeId> order, const Team& team,
             std::span<device::Queue* const> queues, std::span<const device::Task> tasks)
    : team_(team), events_(plan.nodes.size()) {
  const std::vector<Handover> made = handovers(plan, order, numbers_of(queues, team));
  for (const plan::NodeId id : order) {
    Leg& leg = legs_.emplace_back(Leg{queues[index(id)], tasks[index(id)], {}, nullptr});
    for (const plan::NodeId other : made[index(id)].awaits) leg.awaits.push_back(&events_[index(other)]);
    if (made[index(id)].is_awaited) leg.leaves = &events_[index(id)];
  }
}

std::vector<device::Task> Relay::tasks() const {
  std::vector<device::Task> tasks{{start, &team_}};
  for (const Leg& leg : legs_) tasks.push_back({run, &leg});
  tasks.push_back({finish, &team_});
  return tasks;
}

void Relay::start(const void* work, device::Queue&) {
  const Team& team = *static_cast<const Team*>(work);
  const device::Event begun = team.leader->record();
  for (device::Queue* other : team.others) other->wait(begun);
}

void Relay::run(const void* work, device::Queue&) {
  const Leg& leg = *static_cast<const Leg*>(work);
  for (const device::Event* event : leg.awaits) leg.queue->wait(*event);
  if (leg.task.run != nullptr)
    leg.queue->enqueue(leg.task);  // null if the launch of the node before computes it
  if (leg.leaves != nullptr) *leg.leaves = leg.queue->record();
}

void Relay::finish(const void* work, device::Queue&) {
  const Team& team = *static_cast<const Team*>(work);
  for (device::Queue* other : team.others) team.leader->wait(other->record());
}

}  // namespace wt::execute
