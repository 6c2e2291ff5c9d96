#include "strategy/multi_worker_mirrored.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/narrow.h"
#include "device/error.h"
#include "plan/memory.h"
#include "strategy/collective_ops.h"
#include "strategy/data_parallel.h"

namespace wt::strategy {

namespace {

// {devices per task, tasks}. Throws InputError unless all tasks have equally many devices, task by task.
std::vector<int> shape_of(std::span<const Place> places) {
  std::vector<std::pair<int, int>> tasks;  // number, devices
  for (const Place& place : places) {
    if (tasks.empty() || tasks.back().first != place.task) {
      const bool is_back =
          std::ranges::any_of(tasks, [&](const auto& task) { return task.first == place.task; });
      if (is_back)
        throw InputError(
            fmt::format("[multi_worker_mirrored] the devices of task {} don't stand together", place.task),
            "list the devices task by task");
      tasks.push_back({place.task, 0});
    }
    ++tasks.back().second;
  }
  for (const auto& [task, devices] : tasks)
    if (devices != tasks.front().second)
      throw InputError(fmt::format("[multi_worker_mirrored] task {} has {} devices, and task {} has {}",
                                   tasks.front().first, tasks.front().second, task, devices),
                       "give every task as many");
  return {tasks.front().second, narrow<int>(tasks.size())};
}

Library ring_of(const MultiWorkerMirroredOptions& options, const std::vector<int>& shape) {
  LibraryChoice ring{.algorithm = std::string(collective_op(CollectiveType::reduce).algorithm)};
  ring.options.shape = shape;
  ring.options.subdivisions = options.subdivisions;
  return {.always = std::move(ring)};
}

void check_types(const Step& step, CommunicationImplementation chosen, std::span<const Place> places) {
  for (const Node& node : step.program.nodes)
    if (std::holds_alternative<AllReduce>(node.operation))
      for (const ValueId input : node.inputs)
        require_reducible(step.program.spec(input).type, chosen, places.front().kind);
}

}  // namespace

namespace {

constexpr std::array<std::string_view, 3> implementation_names{"AUTO", "RING", "NCCL"};

}  // namespace

std::string_view name(CommunicationImplementation implementation) {
  return implementation_names[static_cast<std::size_t>(implementation)];
}

CommunicationImplementation communication_implementation(std::string_view word) {
  const auto is_it = [&](std::string_view known) {
    return std::ranges::equal(known, word, {}, {}, [](unsigned char letter) { return std::toupper(letter); });
  };
  const auto* found = std::ranges::find_if(implementation_names, is_it);
  if (found == implementation_names.end())
    throw device::ValueError(fmt::format("'{}' is not a valid CommunicationImplementation", word));
  return static_cast<CommunicationImplementation>(found - implementation_names.begin());
}

// collective_param_resolver_local.cc takes NCCL only if the hint is exactly NCCL.
ChosenImplementation choose_implementation(CommunicationImplementation asked, std::span<const Place> places) {
  using enum CommunicationImplementation;
  if (asked == ring) return {ring, "RING was asked for"};
  if (asked == nccl && has_gpus_only(places)) return {nccl, "NCCL was asked for, and all devices are GPUs"};
  if (asked == nccl) return {ring, "Enabled NCCL communication but no GPUs detected/specified."};
  return {ring, has_gpus_only(places) ? "AUTO is RING in TensorFlow, on GPUs too: write NCCL to have it"
                                      : "AUTO is RING in TensorFlow, and NCCL would need GPUs"};
}

plan::Plan lower_multi_worker_mirrored(Steps steps, std::span<const Place> places,
                                       const MultiWorkerMirroredOptions& options) {
  check_replicas("multi_worker_mirrored", steps, places, options.stand_for);
  std::vector<int> shape = shape_of(places);
  if (options.stand_for) shape[1] = narrow<int>(*options.stand_for) / shape[0];
  const CommunicationImplementation chosen =
      choose_implementation(options.implementation, places).implementation;
  check_types(*steps.front(), chosen, places);
  const bool is_nccl = chosen == CommunicationImplementation::nccl;
  DataParallel way{.packing = options.packing, .stand_for = options.stand_for};
  way.communication.strategy = "multi_worker_mirrored";
  way.communication.library = is_nccl ? options.nccl : ring_of(options, shape);
  way.communication.reduces_by_all_reduce = true;  // over all workers: Strategy.reduce
  way.communication.waits_for_backward = !options.packing.starts_early();
  way.communication.one_after_the_other = is_nccl || options.packing.eager || options.packing.starts_early();
  way.communication.broadcast = collective_op(CollectiveType::broadcast).algorithm;
  way.communication.shape.shape = shape;
  way.communication.gather = collective_op(CollectiveType::gather).algorithm;
  return lower_data_parallel(steps, places, way);
}

plan::Plan lower_initial_broadcast(const Step& step, std::span<const Place> places) {
  const std::vector<const Step*> steps(places.size(), &step);
  check_replicas("multi_worker_mirrored", steps, places);
  const auto devices = static_cast<std::size_t>(shape_of(places)[0]);
  Draft draft;
  draft.plan.name = step.name + " initial values";
  std::vector<ReplicaLowering> replicas;
  for (const Replica& replica : add_devices(draft, places, places.size()))
    replicas.emplace_back(step, replica, draft.plan, std::vector<Part>{});
  for (ReplicaLowering& replica : replicas)
    for (const StepVariable& variable : step.variables) replica.add_variable(variable);
  Communication communication{.strategy = "multi_worker_mirrored"};
  communication.broadcast = collective_op(CollectiveType::broadcast).algorithm;
  communication.shape.shape = {1, narrow<int>(places.size() / devices)};
  CrossReplica cross_replica(draft, replicas, steps, communication);
  for (const StepVariable& variable : step.variables) cross_replica.hand_out(variable, devices);
  draft.order();
  plan::plan_memory(draft.plan, draft.frontiers);
  return std::move(draft.plan);
}

}  // namespace wt::strategy
