#include "platform/summary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "base/narrow.h"
#include "platform/keys.h"
#include "platform/networks.h"
#include "platform/topology.h"

namespace wt::platform {

namespace {

constexpr std::array<std::string_view, 5> maker_names{"other", "nvidia", "amd", "intel", "google"};
constexpr std::array<std::string_view, 7> inside_names{"alone", "nvswitch",  "nvlink_mesh", "ici",
                                                       "ideal", "pcie_peer", "host_staged"};

// The line rates of a platform whose links are `speed` times as fast as described.
Ratings times(Ratings ratings, double speed) {
  for (std::optional<Wire>* wire : {&ratings.between_devices, &ratings.nic})
    if (*wire && (*wire)->bandwidth) *(*wire)->bandwidth *= speed;
  return ratings;
}

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

// The summary of one node: the links inside it, and its NICs.
class NodeSummary {
 public:
  NodeSummary(const Platform& platform, const std::vector<Endpoint>& node)
      : platform_(platform),
        topology_(platform.topology()),
        node_(node),
        wiring_(topology_.wiring(platform.machine_of(node.front()))),
        ratings_(times(topology_.ratings(platform.machine_of(node.front())), platform.link_speed())) {
    if (node_.size() > 1) is_joined() ? describe_fabric() : describe_machine();
    summary_.adds_in_switch = node_.size() > 1 && platform_.adder_of(node_[0]).has_value();
    describe_nics();
  }

  const Summary& summary() const { return summary_; }

 private:
  // Whether a fabric joins the devices of a node. The links of a SimGrid platform count as a network between
  // machines; `ratings_` has no fabric then.
  bool is_joined() const { return topology_.has_fabric() && ratings_.fabric.has_value(); }
  // One route has the lowest bottleneck: all links of a grid are equal, and in a tree of switches the first
  // and the last device are farthest apart.
  void describe_fabric() {
    constexpr std::pair<FabricKind, Inside> rows[] = {{FabricKind::nvlink, Inside::nvswitch},
                                                      {FabricKind::xgmi, Inside::nvswitch},
                                                      {FabricKind::ici, Inside::ici},
                                                      {FabricKind::pcie, Inside::pcie_peer},
                                                      {FabricKind::network, Inside::ideal}};
    for (const auto& [kind, inside] : rows)
      if (kind == ratings_.fabric) summary_.inside = inside;
    const Wire& wire = *ratings_.between_devices;
    const std::int32_t ports = topology_.fabric().links_of_port();
    summary_.links = ports * wire.links;
    summary_.link = wire.bandwidth.value_or(BytesPerSecond(0));
    summary_.device_out = payload(wire) * ports;
    summary_.slowest = platform_.route(node_[0], node_.back()).bottleneck;
  }

  // ---- Inside a machine, from the routes of all pairs

  static bool is_nvlink(const Link& link) {
    return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi;
  }

  // The kind of connection that a route inside a machine is.
  Inside inside_of(const Route& route) const {
    const auto link = [&](LinkId id) { return platform_.link(id); };
    if (std::ranges::all_of(route.links, is_nvlink, link))
      return wiring_.up_to_switch(point_of(node_[0])) >= 0 ? Inside::nvswitch : Inside::nvlink_mesh;
    const auto is_memory = [](const Link& each) { return each.kind == LinkKind::host_memory; };
    return std::ranges::any_of(route.links, is_memory, link) ? Inside::host_staged : Inside::pcie_peer;
  }

  Point point_of(Endpoint device) const {
    return topology_.spot_of_device(static_cast<std::int32_t>(device)).point;
  }

  void describe_machine() {
    // The rate at which a device can send, lowest over the devices: the sum of its direct NVLinks to other
    // devices of the group, or, if it has none, the fastest first link of its routes.
    double least = 0;
    for (const Endpoint from : node_) {
      double direct = 0;
      double first = 0;
      for (const Endpoint to : node_) {
        if (from == to) continue;
        const Route route = platform_.route(from, to);
        const Inside inside = inside_of(route);
        summary_.inside = std::max(summary_.inside, inside);
        const bool is_slower = summary_.slowest == BytesPerSecond(0) || route.bottleneck < summary_.slowest;
        if (is_slower) summary_.slowest = route.bottleneck;
        if (inside == Inside::nvlink_mesh && route.links.size() == 1) direct += route.bottleneck.count();
        first = std::max(first, platform_.link(route.links.front()).bandwidth.count());
      }
      const double sends = direct > 0 ? direct : first;
      least = least == 0 ? sends : std::min(least, sends);
    }
    summary_.device_out = BytesPerSecond(least);
    count_links();
  }

  // Divides what a device sends by the payload rate of one NVLink.
  void count_links() {
    summary_.links = 1;
    summary_.link = summary_.device_out;
    const bool is_nvlink = summary_.inside == Inside::nvswitch || summary_.inside == Inside::nvlink_mesh;
    if (!is_nvlink) return;
    const Wire& wire = *ratings_.between_devices;
    summary_.link = *wire.bandwidth;
    summary_.links = narrow<int>(std::lround(summary_.device_out / (summary_.link * wire.efficiency)));
  }

  // ---- The NICs

  void describe_nics() {
    summary_.nic_type = ratings_.nic_type;
    if (wiring_.nics() == 0 || !ratings_.nic) return;
    const auto is_memory = [&](std::int32_t link) {
      return wiring_.link(link).kind == LinkKind::host_memory;
    };
    // Pairs of machine and NIC: all near NICs, and those that a device reaches without a host's memory.
    std::set<std::pair<std::int32_t, std::int32_t>> near;
    std::set<std::pair<std::int32_t, std::int32_t>> direct;
    for (const Endpoint device : node_) {
      const Point point = point_of(device);
      const std::pair nic(platform_.machine_of(device), wiring_.near_nic(point));
      near.insert(nic);
      if (std::ranges::none_of(wiring_.route(point, wiring_.nic(nic.second)), is_memory)) direct.insert(nic);
    }
    summary_.nics = narrow<int>(near.size());
    summary_.nic = ratings_.nic->bandwidth.value_or(BytesPerSecond(0)) * ratings_.nic->links;
    summary_.network = payload(*ratings_.nic) * summary_.nics;
    summary_.gpu_direct = direct == near;
  }

  const Platform& platform_;
  const Topology& topology_;
  const std::vector<Endpoint>& node_;  // its devices
  const Wiring& wiring_;
  const Ratings ratings_;
  Summary summary_{};
};

// Describes the largest node of each group of equal machines, and takes the slowest figures.
class Summariser {
 public:
  Summariser(const Platform& platform, std::span<const Endpoint> devices)
      : platform_(platform), topology_(platform.topology()) {
    for (const Endpoint device : devices) {
      machines_.insert(platform.machine_of(device));
      nodes_[node_of(platform.machine_of(device))].push_back(device);
    }
    describe_types(devices);
  }

  Summary summary() && {
    summary_.machines = narrow<int>(machines_.size());
    summary_.nodes = narrow<int>(nodes_.size());
    const std::size_t first = nodes_.begin()->second.size();
    const auto is_even = [&](const auto& node) { return node.second.size() == first; };
    if (std::ranges::all_of(nodes_, is_even)) summary_.per_node = narrow<int>(first);
    std::map<std::int32_t, const std::vector<Endpoint>*> largest;  // node of each group
    for (const auto& [number, node] : nodes_) {
      const auto [found, is_new] =
          largest.try_emplace(platform_.group_of(platform_.machine_of(node.front())), &node);
      if (node.size() > found->second->size()) found->second = &node;
    }
    for (const auto& [group, node] : largest) {
      const bool is_first = group == largest.begin()->first;
      add(NodeSummary(platform_, *node).summary(), is_first);
    }
    // Without NICs (a SimGrid platform) the bottleneck between two nodes is the rate of the network.
    if (summary_.nics == 0 && nodes_.size() > 1)
      summary_.network =
          platform_.route(nodes_.begin()->second[0], std::next(nodes_.begin())->second[0]).bottleneck;
    summary_.slice = platform_.slice();
    return summary_;
  }

 private:
  std::int32_t node_of(std::int32_t machine) const {
    const bool is_joined = topology_.has_fabric() && topology_.ratings(machine).fabric.has_value();
    return is_joined ? topology_.copy_of(machine) : machine;
  }

  // NCCL takes the lowest capability of all ranks for its tables (minCompCap in src/graph/tuning.cc).
  void describe_types(std::span<const Endpoint> devices) {
    const device::DeviceType* least = &platform_.type(devices[0]);
    summary_.maker = maker_of(*least);
    bool are_like = true;
    for (const Endpoint device : devices) {
      const device::DeviceType& type = platform_.type(device);
      if (type.id == least->id) continue;
      are_like = are_like && type.kind == least->kind && maker_of(type) == summary_.maker &&
                 type.compute_capability && least->compute_capability;
      if (are_like && *type.compute_capability < *least->compute_capability) least = &type;
    }
    summary_.host = &platform_.type(platform_.host_of(devices[0]));
    summary_.host_maker = maker_of(*summary_.host);
    if (are_like)
      summary_.device = least;
    else
      summary_.maker = Maker::other;
  }

  void add(const Summary& node, bool is_first) {
    summary_.inside = std::max(summary_.inside, node.inside);
    if (node.inside != Inside::alone && (is_first || summary_.links == 0 || node.slowest < summary_.slowest))
      summary_.slowest = node.slowest;
    if (node.inside != Inside::alone && (summary_.links == 0 || node.device_out < summary_.device_out)) {
      summary_.device_out = node.device_out;
      summary_.links = node.links;
      summary_.link = node.link;
    }
    summary_.adds_in_switch = node.adds_in_switch && (is_first || summary_.adds_in_switch);
    summary_.gpu_direct = node.gpu_direct && (is_first || summary_.gpu_direct);
    if (!is_first && summary_.network <= node.network) return;
    summary_.nics = node.nics;
    summary_.nic = node.nic;
    summary_.nic_type = node.nic_type;
    summary_.network = node.network;
  }

  const Platform& platform_;
  const Topology& topology_;
  std::set<std::int32_t> machines_{};
  std::map<std::int32_t, std::vector<Endpoint>> nodes_{};
  Summary summary_{};
};

}  // namespace

std::string_view name(NicType type) {
  for (const auto& row : Words<NicType>::rows)
    if (row.value == type) return row.name;
  return {};
}

std::string_view name(Maker maker) { return maker_names[static_cast<std::size_t>(maker)]; }
std::string_view name(Inside inside) { return inside_names[static_cast<std::size_t>(inside)]; }

Maker maker_of(const device::DeviceType& type) {
  constexpr std::pair<std::string_view, Maker> words[] = {
      {"nvidia", Maker::nvidia}, {"amd", Maker::amd},       {"epyc", Maker::amd},
      {"intel", Maker::intel},   {"xeon", Maker::intel},    {"google", Maker::google},
      {"tpu", Maker::google},    {"geforce", Maker::nvidia}};
  const std::string text = lower(type.product + " " + type.id);
  for (const auto& [word, maker] : words)
    if (text.find(word) != std::string::npos) return maker;
  return Maker::other;
}

Summary summary_of(const Platform& platform, std::span<const Endpoint> devices) {
  WT_EXPECT(!devices.empty(), "no devices");
  return Summariser(platform, devices).summary();
}

}  // namespace wt::platform
