#include "study/evidence/strategy_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "collective/catalog.h"
#include "strategy/central_storage.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt::evidence {

namespace {

using strategy::CrossDeviceOps, strategy::Place;

std::vector<Place> places(int replicas, device::Kind kind, int per_task) {
  std::vector<Place> all;
  for (int i = 0; i < replicas; ++i) {
    const std::string task = fmt::format("/job:worker/replica:0/task:{}/device:", i / per_task);
    all.push_back({.device = {.name = fmt::format("{}{}:{}", task, device::name(kind), i % per_task)},
                   .host = plan::Device{.name = task + "CPU:0"},
                   .task = i / per_task,
                   .kind = kind});
  }
  return all;
}

// A library that always uses this algorithm, with as many helpers (switches or servers) as its schedule
// needs.
strategy::Library library_of(const collective::Algorithm& algorithm, int ranks) {
  strategy::LibraryChoice choice{.algorithm = std::string(algorithm.name)};
  const collective::Request request{.ranks = ranks, .elements = 1024, .options = choice.options};
  const int helpers = collective::make_schedule(algorithm, request).contract.helpers;
  for (int i = 0; i < helpers; ++i) choice.helpers.push_back({.name = fmt::format("helper {}", i)});
  return {.always = std::move(choice)};
}

std::vector<StrategyWay> mirrored(int replicas) {
  const std::vector<Place> devices = places(replicas, device::Kind::gpu, replicas);
  std::vector<StrategyWay> ways;
  const auto add = [&](std::string reduction, const strategy::MirroredOptions& options) {
    ways.push_back({"mirrored",
                    std::move(reduction),
                    [devices, options](strategy::Steps steps) {
                      return strategy::lower_mirrored(steps, devices, options);
                    },
                    {.replicas = replicas}});
  };
  for (const collective::Algorithm* algorithm :
       collective::algorithms_of(collective::Operation::all_reduce)) {
    if (algorithm->name == "hierarchical_copy" || !collective::allows(*algorithm, replicas)) continue;
    add(fmt::format("NCCL: {}", algorithm->name), {.nccl = library_of(*algorithm, replicas)});
  }
  add("collective ring", {.cross_device_ops = CrossDeviceOps::collective_ring});
  add("collective ring, buckets", {.cross_device_ops = CrossDeviceOps::collective_ring,
                                   .packing = {.overlap = true, .bucket_cap = Bytes(4096)}});
  add("NcclAllReduce, 2 packs", {.cross_device_ops = CrossDeviceOps::nccl, .num_packs = 2});
  add("reduction to one device", {.cross_device_ops = CrossDeviceOps::reduction_to_one_device});
  add("hierarchical copy, mended",
      {.cross_device_ops = CrossDeviceOps::hierarchical_copy, .faithful = false});
  return ways;
}

StrategyWay central_storage(int replicas) {
  return {"central_storage",
          "pushed and added",
          [devices = places(replicas, device::Kind::gpu, replicas)](strategy::Steps steps) {
            return strategy::lower_central_storage(steps, devices);
          },
          {.replicas = replicas, .goes_on_with_empty_replicas = false}};
}

std::vector<StrategyWay> multi_worker_mirrored(int replicas) {
  std::vector<StrategyWay> ways;
  for (const int tasks : {1, 2, replicas}) {
    const bool is_listed = !ways.empty() && ways.back().input.workers == tasks;
    if (replicas % tasks != 0 || is_listed) continue;
    const std::vector<Place> devices = places(replicas, device::Kind::gpu, replicas / tasks);
    for (const auto implementation :
         {strategy::CommunicationImplementation::ring, strategy::CommunicationImplementation::nccl})
      ways.push_back({"multi_worker_mirrored",
                      fmt::format("{}, {} workers", name(implementation), tasks),
                      [devices, implementation](strategy::Steps steps) {
                        return strategy::lower_multi_worker_mirrored(steps, devices,
                                                                     {.implementation = implementation});
                      },
                      {.replicas = replicas, .workers = tasks}});
  }
  return ways;
}

// Assigns the layers alternately to the two cores of a replica. The name of a layer is the first part of its
// weights' names.
strategy::AssignedLayers by_turns(const Step& step) {
  strategy::AssignedLayers layers;
  for (const StepVariable& variable : step.variables)
    if (variable.trainable)
      layers.try_emplace(variable.name.substr(0, variable.name.find('/')), layers.size() % 2);
  return layers;
}

// Slices of 2x2, 2x2x2 and 2x2x4 chips: first with one core per chip, then with two cores that form one
// replica.
std::vector<StrategyWay> tpu(int replicas) {
  if (replicas != 4 && replicas != 8 && replicas != 16) return {};
  const std::vector<int> slice{2, 2, replicas / 4};
  const std::vector<Place> cores = places(replicas, device::Kind::tpu, 4);
  std::vector<Place> chips = cores;
  for (Place& chip : chips) chip.further.push_back({.name = chip.device.name + " core 1"});
  const data::Distribution input{.replicas = replicas, .workers = replicas / 4};
  return {
      {"tpu", "cross_replica_sum",
       [slice, cores](strategy::Steps steps) { return strategy::lower_tpu(steps, cores, {.slice = slice}); },
       input},
      {"tpu", "2 cores a replica",
       [slice, chips](strategy::Steps steps) {
         return strategy::lower_tpu(steps, chips, {.slice = slice, .assigned = by_turns(*steps.front())});
       },
       input}};
}

StrategyWay one_device() {
  return {"one_device",
          "",
          [device = places(1, device::Kind::gpu, 1).front()](strategy::Steps steps) {
            return strategy::lower_default(*steps.front(), device.device, device.host);
          },
          {}};
}

}  // namespace

std::vector<StrategyWay> strategy_ways(int replicas) {
  std::vector<StrategyWay> ways;
  const auto add = [&](std::vector<StrategyWay> more) { std::ranges::move(more, std::back_inserter(ways)); };
  if (replicas == 1) ways.push_back(one_device());
  add(mirrored(replicas));
  ways.push_back(central_storage(replicas));
  add(multi_worker_mirrored(replicas));
  add(tpu(replicas));
  return ways;
}

}  // namespace wt::evidence
