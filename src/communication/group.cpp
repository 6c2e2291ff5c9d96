#include "communication/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/id.h"
#include "base/narrow.h"
#include "platform/slice.h"
#include "platform/summary.h"
#include "platform/switch_tree.h"
#include "platform/topology.h"

namespace wt::communication {

namespace {

using collective::Algorithm, collective::Contract;
using platform::Endpoint, platform::Platform;

bool is_for_a_torus(const Algorithm& algorithm) { return algorithm.name.starts_with("torus"); }

// The ranks in the order of their coordinates in the slice. In a platform, chips are numbered host by host.
// `ranks` may consist of several slices that follow each other.
std::vector<Endpoint> by_coordinates(const platform::Slice& slice, const std::vector<Endpoint>& ranks) {
  const auto axes = slice.shape.axes();
  platform::Shape hosts = slice.shape;
  for (std::size_t axis = 0; axis < axes; ++axis) hosts.extents[axis] /= slice.host[axis];
  const auto per_host = narrow<std::int32_t>(slice.host.count());
  const int cores = slice.devices_per_chip();
  std::vector<Endpoint> ordered(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto place_in_slice = static_cast<std::int32_t>(rank) % slice.replicas();
    const auto first = static_cast<std::int32_t>(rank) - place_in_slice;
    const auto number = place_in_slice / cores, core = place_in_slice % cores;
    platform::Coordinates place = platform::coordinates_of(number / per_host, hosts);
    const platform::Coordinates inner = platform::coordinates_of(number % per_host, slice.host);
    for (std::size_t axis = 0; axis < axes; ++axis)
      place[axis] = place[axis] * slice.host[axis] + inner[axis];
    const std::int32_t here = first + platform::number_of(place, slice.shape) * cores + core;
    ordered[static_cast<std::size_t>(here)] = ranks[rank];
  }
  return ordered;
}

// ---- Helpers

using Endpoints = std::vector<Endpoint>;

// `count` hosts of ranks, evenly spread.
Endpoints servers(const Group& group, std::size_t count) {
  Endpoints hosts;
  for (std::size_t i = 0; i < count; ++i)
    hosts.push_back(group.platform.host_of(group.ranks[i * group.ranks.size() / count]));
  return hosts;
}

// The NVSwitches that add, in the order of their ranks.
Endpoints nvlink_switches(const Group& group, const std::string& name) {
  Endpoints switches;
  for (const Endpoint rank : group.ranks) {
    const std::optional<Endpoint> found = group.platform.adder_of(rank);
    if (!found)
      throw InputError(
          fmt::format("{} needs NVSwitches that add, and {} has none", name, group.platform.name()),
          "choose another algorithm, or a platform of GPUs from Hopper on behind NVSwitches");
    if (switches.empty() || switches.back() != *found) switches.push_back(*found);
  }
  return switches;
}

// The ranks of each part of the group, if every part has equally many and they follow each other; else 0.
int ranks_of_a_part(const Group& group, const std::function<int(Endpoint)>& part_of) {
  const auto machine = [&](int rank) { return part_of(group.ranks[static_cast<std::size_t>(rank)]); };
  int size = 1;
  while (size < group.size() && machine(size) == machine(0)) ++size;
  for (int rank = 0; rank < group.size(); ++rank) {
    const bool is_first = rank % size == 0;
    if (rank > 0 && (machine(rank) == machine(rank - 1)) == is_first) return 0;
  }
  return group.size() % size == 0 ? size : 0;
}

int ranks_of_a_machine(const Group& group) {
  return ranks_of_a_part(group, [&](Endpoint rank) { return group.platform.machine_of(rank); });
}

// A node is a machine, or all machines whose devices one fabric joins, as NCCL counts them.
int ranks_of_a_node(const Group& group) {
  return ranks_of_a_part(group, [&](Endpoint rank) {
    const platform::Topology& topology = group.platform.topology();
    const int machine = group.platform.machine_of(rank);
    const bool is_joined = topology.has_fabric() && topology.ratings(machine).fabric.has_value();
    return is_joined ? topology.copy_of(machine) : machine;
  });
}

// The lanes of trees over the network: one for each NIC of a machine that a rank is near to.
int lanes_of(const Group& group, int per_machine) {
  const auto first = std::span(group.ranks).first(static_cast<std::size_t>(per_machine));
  return std::clamp(platform::summary_of(group.platform, first).nics, 1, per_machine);
}

// The switches that add for a lane. The heads of the lane are the ranks at its NIC, one in each machine.
std::optional<platform::SwitchTree> tree_of_lane(const Group& group, std::size_t lane, std::size_t lanes) {
  const auto size = static_cast<std::size_t>(ranks_of_a_machine(group));
  if (size == 0) return std::nullopt;
  Endpoints heads;
  for (std::size_t rank = lane * size / lanes; rank < group.ranks.size(); rank += size)
    heads.push_back(group.ranks[rank]);
  return platform::adding_switches(group.platform, heads);
}

// The network switches that add, lane by lane. `count` switches of all lanes together determine the number of
// lanes.
Endpoints network_switches(const Group& group, const std::string& name, std::size_t count) {
  Endpoints switches;
  std::size_t lanes = 1;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto tree = tree_of_lane(group, lane, lanes);
    if (!tree)
      throw InputError(
          fmt::format("{} needs network switches that add, and {} has none for these ranks", name,
                      group.platform.name()),
          "choose another algorithm, or a platform with InfiniBand and one or two levels of switches between "
          "machines");
    switches.insert(switches.end(), tree->leaves.begin(), tree->leaves.end());
    if (tree->root) switches.push_back(*tree->root);
    if (lane == 0) lanes = std::max<std::size_t>(1, count / switches.size());
  }
  return switches;
}

Endpoints helpers(const Group& group, const Algorithm* algorithm, const Contract& contract) {
  const auto count = static_cast<std::size_t>(contract.helpers);
  if (count == 0) return {};
  const bool has_servers = algorithm == nullptr || collective::reads(*algorithm, "servers");
  if (has_servers) return servers(group, count);
  const std::string name(algorithm->name);
  const Endpoints switches =
      name == "sharp" ? network_switches(group, name, count) : nvlink_switches(group, name);
  if (switches.size() != count)
    throw InputError(
        fmt::format("{} needs {} switches that add, and these ranks are at {}", name, count, switches.size()),
        "give the shape of the machines, or another number of ranks");
  return switches;
}

}  // namespace

namespace {

// {ranks of a part, parts}, if there are several parts of several ranks each; else empty.
std::vector<int> shape_of_parts(const Group& group, int size) {
  if (size <= 1 || size == group.size()) return {};
  return {size, group.size() / size};
}

// Algorithms of NCCL that pass through each node as a whole.
bool counts_nodes(const Algorithm& algorithm) {
  return algorithm.name == "nvls_tree" || algorithm.name == "multi_rail";
}

// The ranks of a machine and the machines; for algorithms of NCCL on several NVLink domains, those of a domain and the
// domains.
std::vector<int> shape_of_machines(const Group& group, const Algorithm& algorithm) {
  if (counts_nodes(algorithm))
    if (const int node = ranks_of_a_node(group); node != group.size()) return shape_of_parts(group, node);
  return shape_of_parts(group, ranks_of_a_machine(group));
}

// {ranks of a machine, machines at each leaf switch that adds, leaf switches}, or empty if they are unequal.
std::vector<int> shape_of_leaves(const Group& group) {
  const int size = ranks_of_a_machine(group);
  if (size == 0) return {};
  const auto tree = tree_of_lane(group, 0, 1);
  const int leaves = tree ? narrow<int>(tree->leaves.size()) : 1, machines = group.size() / size;
  return machines % leaves == 0 ? std::vector{size, machines / leaves, leaves} : std::vector<int>{};
}

}  // namespace

Group first_devices(const Platform& platform, int count) {
  Group group{platform};
  for (int rank = 0; rank < count; ++rank) group.ranks.push_back(platform.device(rank));
  return group;
}

int whole_slices(const Group& group) {
  const platform::Slice* slice = group.platform.slice();
  if (slice == nullptr || group.size() % slice->replicas() != 0) return 0;
  const auto slice_of = [&](int rank) {
    return group.platform.machine_of(group.ranks[static_cast<std::size_t>(rank)]) / slice->hosts;
  };
  for (int rank = 0; rank < group.size(); ++rank)
    if (slice_of(rank) != slice_of(rank - rank % slice->replicas())) return 0;
  return group.size() / slice->replicas();
}

void add_natural_shape(collective::Options& options, const Group& group, const Algorithm& algorithm) {
  if (!collective::reads(algorithm, "shape") || !options.shape.empty()) return;
  if (const int slices = is_for_a_torus(algorithm) ? whole_slices(group) : 0; slices > 0) {
    const platform::Slice& slice = *group.platform.slice();
    collective::set_torus(options, {slice.shape.extents.rbegin(), slice.shape.extents.rend()},
                          {slice.wraps.rbegin(), slice.wraps.rend()}, slice.devices_per_chip());
    options.slices = slices;
  } else if (algorithm.name == "sharp") {
    options.shape = shape_of_leaves(group);
    if (!options.shape.empty() && options.lanes == 0) options.lanes = lanes_of(group, options.shape[0]);
  } else if (!is_for_a_torus(algorithm)) {
    options.shape = shape_of_machines(group, algorithm);
  }
}

Endpoints endpoints(const Group& group, const Algorithm* algorithm, const Contract& contract) {
  const bool goes_along_axes = algorithm != nullptr && is_for_a_torus(*algorithm) && whole_slices(group) > 0;
  Endpoints where = goes_along_axes ? by_coordinates(*group.platform.slice(), group.ranks) : group.ranks;
  const Endpoints others = helpers(group, algorithm, contract);
  where.insert(where.end(), others.begin(), others.end());
  return where;
}

}  // namespace wt::communication
