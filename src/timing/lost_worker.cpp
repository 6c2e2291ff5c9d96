#include "timing/lost_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id.h"

namespace wt::timing {

namespace {

// TensorFlow up to 2.10 asks each peer every 30 s, and takes it as down when three probes have not been answered within
// 10 s each (collective_all_reduce_strategy.py).
constexpr Seconds probe_period(30), probe_timeout(10);
constexpr int probe_tries = 3;
// Since then every worker sends a heartbeat to the service in the first one. A task counts as gone 10 s after its last
// heartbeat: 6.7 to 10.9 s after it was killed. A task whose heartbeat the service can't take learns of that at once.
constexpr Seconds heartbeat_timeout(10), heartbeat_period(5);
// More than this is cut into several pieces, which are aligned to 64 bytes.
constexpr Bytes single_piece(64);

// "/job:worker/task:1" of "/job:worker/replica:0/task:1".
std::string short_name(std::string name) {
  constexpr std::string_view replica = "/replica:0";
  if (const std::size_t at = name.find(replica); at != std::string::npos) name.erase(at, replica.size());
  return name;
}

constexpr std::string_view reset =
    "The error could be from a previous operation. Restart your program to reset.";

std::string message_of(HealthCheck check, const std::string& name) {
  if (check == HealthCheck::probes) return fmt::format("cluster check alive failed, {} is down", name);
  if (check == HealthCheck::heartbeats)
    return fmt::format(
        "Collective ops is aborted by: Error reported from {}: Task {} heartbeat timeout. This indicates "
        "that the remote task has failed, got preempted, or crashed unexpectedly. Check the task logs for an "
        "earlier error to debug further.\n{}",
        short_name(name), name, reset);
  return fmt::format(
      "Collective ops is aborted by: Error reported from {}: The following tasks are unhealthy (stopped "
      "sending heartbeats):\n{}\nThe tasks have crashed. Check the task logs for an earlier error, or "
      "scheduler events (e.g. preemption, eviction) to debug further.\n{}",
      short_name(name), name, reset);
}

// A connection to a process that has ended can't be made.
std::string no_connection(HealthCheck check, const cluster::Machine& machine, const Failure& failure) {
  std::string text = "failed to connect to all addresses";
  if (check != HealthCheck::unhealthy) return text;
  text += "; last error: UNKNOWN: ";
  const device::Name name = device::parse_name(failure.name);
  if (machine.cluster && machine.cluster->spec.find(*name.job) != nullptr)
    text += fmt::format("ipv4:{}: ", machine.cluster->spec.task_address(*name.job, *name.task));
  return text + "Failed to connect to remote host: Connection refused";
}

std::string with_target(std::string_view fact, const std::string& target, std::string_view call) {
  return fmt::format(
      "{}\nAdditional GRPC error information from remote target {} while calling /tensorflow.{}:", fact,
      target, call);
}

// What the other workers learn, and when.
struct News {
  Seconds time{};
  std::string message{};
  std::string status = "UNAVAILABLE";
};

std::string aborted(const std::string& fact) {
  return fmt::format("Collective ops is aborted by: {}\n{}", fact, reset);
}

// "/job:chief/replica:0/task:0"
std::string first_worker(const cluster::Machine& machine) {
  const auto first = std::ranges::find(machine.replicas, 0, &cluster::Replica::task);
  WT_EXPECT(first != machine.replicas.end(), "no replica is in the first worker");
  const device::Name& name = first->device.name;
  return fmt::format("/job:{}/replica:0/task:{}", name.job.value_or("worker"), name.task.value_or(0));
}

// What a heartbeat finds if the first worker, and the service in it, is gone since this time.
News service_is_gone(FailureKind kind, HealthCheck check, const cluster::Machine& machine, Seconds since) {
  constexpr std::string_view call = "CoordinationService/Heartbeat";
  if (kind == FailureKind::cut) {
    const std::string fact = check == HealthCheck::heartbeats
                                 ? with_target("Deadline Exceeded", first_worker(machine), call)
                                 : fmt::format("Deadline Exceeded\n\nRPC: /tensorflow.{}", call);
    return {since + heartbeat_timeout, aborted(fact), std::string(timed_out_status)};
  }
  constexpr std::string_view no_service =
      "Failed to send RPC to coordination service. Either the leader task was preempted/died/restarted "
      "unexpectedly or this task is experiencing network issues. Check earlier logs from 1) this task, 2) "
      "the leader (usually slice 0 task 0), and 3) cluster scheduler to debug further.";
  const std::string_view fact =
      check == HealthCheck::heartbeats ? "failed to connect to all addresses" : no_service;
  return {since + heartbeat_period, aborted(with_target(fact, first_worker(machine), call))};
}

// What they learn without a connection to the lost one.
News news_of_service(const Failure& failure, HealthCheck check, const cluster::Machine& machine, Seconds at) {
  if (check == HealthCheck::probes)
    return {probe_period * std::ceil(at / probe_period) + probe_timeout * probe_tries,
            message_of(check, failure.name)};
  if (failure.task == 0) return service_is_gone(failure.kind, check, machine, at);
  return {at + heartbeat_timeout, message_of(check, failure.name)};
}

// Whether those who wait to receive learn of it by their connections.
bool has_connections(const Failure& failure, HealthCheck check, const StepOfLoss& step) {
  return failure.kind != FailureKind::cut && check != HealthCheck::probes && step.is_tensorflows;
}

// What the neighbour learns that receives from the lost worker in a collective which began at `arrival`.
News news_of_connection(const Failure& failure, HealthCheck check, const cluster::Machine& machine,
                        Seconds at, Seconds arrival) {
  const bool waits = failure.time && at > arrival;
  // The first worker also registers each collective.
  const std::string_view call =
      failure.task == 0 && !waits ? "WorkerService/CompleteInstance" : "WorkerService/RecvBuf";
  return {std::max(at, arrival),
          aborted(with_target(waits ? "Socket closed" : no_connection(check, machine, failure), failure.name,
                              call))};
}

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

Seconds patience_of(HealthCheck check) {
  return check == HealthCheck::probes ? probe_timeout : heartbeat_timeout;
}

LostWorker lost_in_collective(const Failure& failure, const cluster::Machine& machine, const StepOfLoss& step,
                              HealthCheck check, std::optional<Seconds> timeout) {
  LostWorker lost{.worker = failure.name, .step = step.number, .status = "UNAVAILABLE"};
  for (const cluster::Replica& replica : machine.replicas)
    (replica.task == failure.task ? lost.missing : lost.arrived).push_back(print(replica.device.name));
  const std::optional<Meeting> meeting = first_meeting(*step.plan, *step.timeline, machine);
  WT_EXPECT(meeting.has_value(), "the plan {} contains no communication between workers", step.plan->name);
  lost.collective = meeting->collective;
  lost.arrival = step.begin + meeting->begin;
  const Seconds at = failure.time ? std::max(step.begin, *failure.time) : step.begin;
  News news = news_of_service(failure, check, machine, at);
  const bool is_known_before = news.time <= lost.arrival;  // and the collective fails as it begins
  if (!is_known_before && has_connections(failure, check, step)) {
    const News of_neighbour = news_of_connection(failure, check, machine, at, lost.arrival);
    const bool all_receive = failure.task == 0 || step.reduced > single_piece;
    if (all_receive)
      news = of_neighbour;
    else if (failure.task > 1)
      news = service_is_gone(failure.kind, check, machine, of_neighbour.time);
  }
  const Seconds found = std::max(news.time, lost.arrival);
  if (timeout && lost.arrival + *timeout < found) {
    lost.end = lost.arrival + *timeout;
    lost.status = timed_out_status;
    lost.message = timed_out_message;
  } else {
    lost.end = found;
    lost.status = news.status;
    lost.message = news.message;
  }
  return lost;
}

namespace {

// `devices` of the task end with it.
LostWorker lost_at_once(const Failure& failure, const cluster::Machine& machine, const StepOfLoss& step) {
  LostWorker lost{.worker = failure.name, .step = step.number};
  lost.arrival = lost.end = failure.time ? std::max(step.begin, *failure.time) : step.begin;
  if (failure.victim == Victim::worker)
    for (const cluster::Replica& replica : machine.replicas)
      if (replica.task == failure.task) lost.missing.push_back(print(replica.device.name));
  return lost;
}

}  // namespace

LostWorker lost_program(const Failure& failure, const cluster::Machine& machine, const StepOfLoss& step) {
  LostWorker lost = lost_at_once(failure, machine, step);
  lost.status = "KILLED";
  lost.message = "the program itself is gone, with all of its devices, and says nothing";
  return lost;
}

LostWorker lost_to_coordinator(const Failure& failure, const cluster::Machine& machine,
                               const StepOfLoss& step, HealthCheck check) {
  LostWorker lost = lost_at_once(failure, machine, step);
  if (failure.victim == Victim::coordinator) {
    lost.status = "KILLED";
    lost.message = "the coordinator is gone, and says nothing";
    lost.waits = "the workers and the servers wait for the coordinator until somebody ends them";
    return lost;
  }
  lost.status = "UNAVAILABLE";
  lost.message = with_target(no_connection(check, machine, failure), failure.name,
                             "eager.EagerService/RunComponentFunction");
  return lost;
}

}  // namespace wt::timing
