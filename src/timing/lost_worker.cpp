#include "timing/lost_worker.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/id.h"

namespace wt::timing {

namespace {

// TensorFlow's health check (collective_all_reduce_strategy.py): every 30 s each peer is probed, and it
// counts as down when three probes have not been answered within 10 s each.
constexpr Seconds check_period(30), check_timeout(10);
constexpr int check_tries = 3;

// A communication in which several tasks take part.
struct Meeting {
  std::string collective{};
  Seconds begin{};
};

// The first collective, or the first message between tasks.
std::optional<Meeting> first_meeting(const plan::Plan& plan, const plan::Timeline& timeline,
                                     const cluster::Machine& machine) {
  std::map<std::string, int, std::less<>> tasks;
  for (const cluster::Replica& replica : machine.replicas) {
    tasks[print(replica.device.name)] = replica.task;
    tasks[print(device::host_of(replica.device.name))] = replica.task;
  }
  const auto task_of = [&](const plan::Operand& operand) {
    const auto found = tasks.find(plan.devices[index(plan.buffer(operand.buffer).device)].name);
    return found == tasks.end() ? -1 : found->second;
  };
  std::optional<Meeting> first;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const auto* move = std::get_if<plan::Move>(&plan.nodes[i].action);
    const bool is_between = move != nullptr && task_of(move->source) != task_of(move->target);
    if (!is_between && !std::holds_alternative<plan::Collective>(plan.nodes[i].action)) continue;
    const Seconds begin = timeline.nodes[i].start;
    if (!first || begin < first->begin) first = {name(plan.nodes[i].role), begin};
  }
  return first;
}

}  // namespace

LostWorker lost_worker(const Killed& killed, const cluster::Machine& machine, const plan::Plan& plan,
                       const plan::Timeline& timeline, Seconds before, std::optional<Seconds> timeout) {
  LostWorker lost{.worker = killed.name, .step = killed.step};
  for (const cluster::Replica& replica : machine.replicas)
    (replica.task == killed.task ? lost.missing : lost.arrived).push_back(print(replica.device.name));
  const std::optional<Meeting> meeting = first_meeting(plan, timeline, machine);
  WT_EXPECT(meeting.has_value(), "the plan {} contains no communication between workers", plan.name);
  lost.collective = meeting->collective;
  lost.arrival = before + meeting->begin;
  const Seconds check = check_period * std::ceil(before / check_period) + check_timeout * check_tries;
  if (timeout && lost.arrival + *timeout < check) {
    lost.end = lost.arrival + *timeout;
    lost.status = timed_out_status;
    lost.message = timed_out_message;
  } else {
    lost.end = check;
    lost.status = "UNAVAILABLE";
    lost.message = fmt::format("cluster check alive failed, {} is down", killed.name);
  }
  return lost;
}

}  // namespace wt::timing
