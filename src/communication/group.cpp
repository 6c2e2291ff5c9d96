#include "communication/group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "platform/slice.h"
#include "platform/switch_tree.h"

namespace wt::communication {

namespace {

using collective::Algorithm, collective::Contract;
using platform::Endpoint, platform::Platform;

bool is_for_a_torus(const Algorithm& algorithm) { return algorithm.name.starts_with("torus"); }

// The slice whose chips, or their cores, are the ranks, for algorithms that go along its axes.
const platform::Slice* slice_of(const Group& group, const Algorithm* algorithm) {
  const platform::Slice* slice = group.platform.slice();
  if (slice == nullptr || algorithm == nullptr || !is_for_a_torus(*algorithm)) return nullptr;
  const bool is_whole = slice->replicas() == group.size() && group.platform.devices() == group.size();
  return is_whole ? slice : nullptr;
}

// Chips are numbered host by host; along the axes of a slice ranks are numbered by their coordinates.
std::vector<Endpoint> by_coordinates(const platform::Slice& slice, const std::vector<Endpoint>& ranks) {
  const auto axes = slice.shape.axes();
  platform::Shape hosts = slice.shape;
  for (std::size_t axis = 0; axis < axes; ++axis) hosts.extents[axis] /= slice.host[axis];
  const auto per_host = static_cast<std::int32_t>(slice.host.count());
  const int cores = slice.devices_per_chip();
  std::vector<Endpoint> ordered(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto number = static_cast<std::int32_t>(rank) / cores;
    const auto core = static_cast<std::int32_t>(rank) % cores;
    platform::Coordinates place = platform::coordinates_of(number / per_host, hosts);
    const platform::Coordinates inner = platform::coordinates_of(number % per_host, slice.host);
    for (std::size_t axis = 0; axis < axes; ++axis)
      place[axis] = place[axis] * slice.host[axis] + inner[axis];
    const std::int32_t here = platform::number_of(place, slice.shape) * cores + core;
    ordered[static_cast<std::size_t>(here)] = ranks[rank];
  }
  return ordered;
}

// ---- Helpers

using Endpoints = std::vector<Endpoint>;

Endpoints servers(const Group& group, std::size_t count) {
  Endpoints hosts;
  for (std::size_t i = 0; i < count; ++i)
    hosts.push_back(group.platform.host_of(group.ranks[i * group.ranks.size() / count]));
  return hosts;
}

// The switches in the order in which their ranks come.
Endpoints nvlink_switches(const Group& group, const std::string& name) {
  Endpoints switches;
  for (const Endpoint rank : group.ranks) {
    const std::optional<Endpoint> found = group.platform.adder_of(rank);
    if (!found)
      throw InputError(
          fmt::format("{} lets NVSwitches add, which {} doesn't have", name, group.platform.name()),
          "it takes GPUs from Hopper on behind NVSwitches; choose another algorithm");
    if (switches.empty() || switches.back() != *found) switches.push_back(*found);
  }
  return switches;
}

Endpoints network_switches(const Group& group, const std::string& name) {
  const auto tree = platform::adding_switches(group.platform, group.ranks, {.rail = 0});
  if (!tree)
    throw InputError(
        fmt::format("{} lets a network's switches add, which {} doesn't have", name, group.platform.name()),
        "it takes InfiniBand between machines, with one or two levels of switches; choose another algorithm");
  Endpoints switches = tree->leaves;
  if (tree->root) switches.push_back(*tree->root);
  return switches;
}

Endpoints helpers(const Group& group, const Algorithm* algorithm, const Contract& contract) {
  const auto count = static_cast<std::size_t>(contract.helpers);
  if (count == 0) return {};
  const bool has_servers = algorithm == nullptr || collective::reads(*algorithm, "servers");
  if (has_servers) return servers(group, count);
  const std::string name(algorithm->name);
  const Endpoints switches = name == "sharp" ? network_switches(group, name) : nvlink_switches(group, name);
  if (switches.size() != count)
    throw InputError(
        fmt::format("{} wants {} switches that add; these ranks are at {}", name, count, switches.size()),
        "give the shape of the machines, or another number of ranks");
  return switches;
}

}  // namespace

namespace {

// Where each machine's ranks stand together and are equally many.
std::vector<int> shape_of_machines(const Group& group) {
  const auto machine = [&](int rank) {
    return group.platform.machine_of(group.ranks[static_cast<std::size_t>(rank)]);
  };
  int size = 1;
  while (size < group.size() && machine(size) == machine(0)) ++size;
  if (size == 1 || size == group.size() || group.size() % size != 0) return {};
  for (int rank = 0; rank < group.size(); ++rank) {
    const bool is_first = rank % size == 0;
    if (rank > 0 && (machine(rank) == machine(rank - 1)) == is_first) return {};
  }
  return {size, group.size() / size};
}

// Ranks below each leaf switch that adds, then leaves.
std::vector<int> shape_of_leaves(const Group& group) {
  const auto tree = platform::adding_switches(group.platform, group.ranks, {.rail = 0});
  const int leaves = tree ? static_cast<int>(tree->leaves.size()) : 1;
  return group.size() % leaves == 0 ? std::vector{group.size() / leaves, leaves} : std::vector<int>{};
}

}  // namespace

Group first_devices(const Platform& platform, int count) {
  Group group{platform};
  for (int rank = 0; rank < count; ++rank) group.ranks.push_back(platform.device(rank));
  return group;
}

void add_natural_shape(collective::Options& options, const Group& group, const Algorithm& algorithm) {
  if (!collective::reads(algorithm, "shape") || !options.shape.empty()) return;
  if (const platform::Slice* slice = slice_of(group, &algorithm))
    collective::set_torus(options, {slice->shape.extents.rbegin(), slice->shape.extents.rend()},
                          {slice->wraps.rbegin(), slice->wraps.rend()}, slice->devices_per_chip());
  else if (algorithm.name == "sharp")
    options.shape = shape_of_leaves(group);
  else if (!is_for_a_torus(algorithm))
    options.shape = shape_of_machines(group);
}

Endpoints endpoints(const Group& group, const Algorithm* algorithm, const Contract& contract) {
  const platform::Slice* slice = slice_of(group, algorithm);
  Endpoints where = slice != nullptr ? by_coordinates(*slice, group.ranks) : group.ranks;
  const Endpoints others = helpers(group, algorithm, contract);
  where.insert(where.end(), others.begin(), others.end());
  return where;
}

}  // namespace wt::communication
