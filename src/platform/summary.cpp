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

// Describes the largest node; the constructor sorts the devices into nodes.
class Summariser {
 public:
  Summariser(const Platform& platform, std::span<const Endpoint> devices)
      : platform_(platform),
        topology_(platform.topology()),
        ratings_(times(topology_.ratings(), platform.link_speed())) {
    for (const Endpoint device : devices) {
      machines_.insert(platform.machine_of(device));
      nodes_[node_of(platform.machine_of(device))].push_back(device);
    }
    for (const auto& [node, members] : nodes_)
      if (members.size() > node_.size()) node_ = members;
    describe_types(devices);
  }

  Summary summary() && {
    summary_.machines = narrow<int>(machines_.size());
    summary_.nodes = narrow<int>(nodes_.size());
    const auto is_even = [&](const auto& node) { return node.second.size() == node_.size(); };
    if (std::ranges::all_of(nodes_, is_even)) summary_.per_node = narrow<int>(node_.size());
    if (node_.size() > 1) is_joined() ? describe_fabric() : describe_machine();
    summary_.adds_in_switch = node_.size() > 1 && platform_.adder_of(node_[0]).has_value();
    describe_network();
    summary_.slice = platform_.slice();
    return summary_;
  }

 private:
  // Whether a fabric joins the devices of a node. The links of a SimGrid platform count as a network between
  // machines; `ratings_` has no fabric then.
  bool is_joined() const { return topology_.has_fabric() && ratings_.fabric.has_value(); }
  std::int32_t node_of(std::int32_t machine) const {
    return is_joined() ? topology_.copy_of(machine) : machine;
  }

  // The device type is null if the devices have different types.
  void describe_types(std::span<const Endpoint> devices) {
    summary_.device = &platform_.type(devices[0]);
    summary_.host = &platform_.type(platform_.host_of(devices[0]));
    summary_.host_maker = maker_of(*summary_.host);
    for (const Endpoint device : devices)
      if (platform_.type(device).id != platform_.type(devices[0]).id) summary_.device = nullptr;
    if (summary_.device != nullptr) summary_.maker = maker_of(*summary_.device);
  }

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
      return topology_.wiring().up_to_switch(point_of(node_[0])) >= 0 ? Inside::nvswitch
                                                                      : Inside::nvlink_mesh;
    const auto is_memory = [](const Link& each) { return each.kind == LinkKind::host_memory; };
    return std::ranges::any_of(route.links, is_memory, link) ? Inside::host_staged : Inside::pcie_peer;
  }

  Point point_of(Endpoint device) const {
    return topology_.wiring().device(static_cast<std::int32_t>(device) % topology_.wiring().devices());
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

  // ---- Between nodes

  // Without NICs (a SimGrid platform) the bottleneck between the first two nodes is the rate of the network.
  void describe_network() {
    summary_.nic_type = ratings_.nic_type;
    const Wiring& wiring = topology_.wiring();
    if (wiring.nics() == 0 || !ratings_.nic) {
      if (nodes_.size() > 1)
        summary_.network =
            platform_.route(nodes_.begin()->second[0], std::next(nodes_.begin())->second[0]).bottleneck;
      return;
    }
    const auto is_memory = [&](std::int32_t link) { return wiring.link(link).kind == LinkKind::host_memory; };
    // Pairs of machine and NIC: all near NICs, and those that a device reaches without a host's memory.
    std::set<std::pair<std::int32_t, std::int32_t>> near;
    std::set<std::pair<std::int32_t, std::int32_t>> direct;
    for (const Endpoint device : node_) {
      const Point point = point_of(device);
      const std::pair nic(platform_.machine_of(device), wiring.near_nic(point));
      near.insert(nic);
      if (std::ranges::none_of(wiring.route(point, wiring.nic(nic.second)), is_memory)) direct.insert(nic);
    }
    summary_.nics = narrow<int>(near.size());
    summary_.nic = ratings_.nic->bandwidth.value_or(BytesPerSecond(0)) * ratings_.nic->links;
    summary_.network = payload(*ratings_.nic) * summary_.nics;
    summary_.gpu_direct = direct == near;
  }

  const Platform& platform_;
  const Topology& topology_;
  const Ratings ratings_;
  std::set<std::int32_t> machines_{};
  std::map<std::int32_t, std::vector<Endpoint>> nodes_{};
  std::vector<Endpoint> node_{};  // the devices of the largest node
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
