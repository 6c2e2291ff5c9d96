#include "platform/networks.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/keys.h"
#include "platform/switches.h"
#include "platform/torus.h"

namespace wt::platform {

namespace {

constexpr std::int64_t most_uplinks = 1 << 26;  // keeps the numbers of links within 32 bits

// The word by which the file writes the type.
std::string_view word_of(NetworkType type) {
  for (const auto& row : Words<NetworkType>::rows)
    if (row.value == type) return row.name;
  return {};
}

// One member function for each type. A function reports what is missing or wrong and returns null if there
// was a problem.
class NetworkBuilder {
 public:
  NetworkBuilder(const Network& network, const Ports& ports, Problems& problems,
                 std::vector<Problem>& warnings)
      : network_(network), ports_(ports), problems_(problems), warnings_(warnings) {}

  std::unique_ptr<const Fabric> build() {
    refuse_keys_of_other_types();
    switch (network_.type.value) {
      case NetworkType::one_switch:
        return one_switch();
      case NetworkType::leaf_spine:
        return leaf_spine();
      case NetworkType::fat_tree:
        return fat_tree();
      case NetworkType::rails:
        return rails();
      case NetworkType::ring:
        return grid(Shape{{count()}}, {true});
      case NetworkType::mesh:
        return grid(shape(), std::vector<bool>(shape().axes(), false));
      case NetworkType::torus:
        return grid(shape(), wraps());
    }
    return nullptr;
  }

 private:
  std::int32_t machines() const {
    std::int32_t machines = 0;
    for (const EqualPorts& group : ports_.groups) machines += group.machines;
    return machines;
  }
  std::int32_t count() const {
    std::int32_t count = 0;
    for (const EqualPorts& group : ports_.groups) count += group.machines * group.per_machine;
    return count;
  }
  const EqualPorts& first() const { return ports_.groups.front(); }

  // Requires the same number of ports of each machine.
  std::int32_t per_machine() {
    const auto is_like_first = [&](const EqualPorts& group) {
      return group.per_machine == first().per_machine;
    };
    if (!std::ranges::all_of(ports_.groups, is_like_first))
      problems_.add(network_.place,
                    fmt::format("a network of type \"{}\" needs machines with equally many {}s, and these "
                                "have different numbers",
                                word_of(network_.type.value), ports_.noun),
                    R"(write "network": {"type": "switch"})");
    return first().per_machine;
  }

  // Requires ports of one wire, from which that of `links` follows.
  void check_equal_wires(std::string_view links, std::string_view remedy) {
    if (wires().size() > 1)
      problems_.add(
          network_.place,
          fmt::format("{} of a network of type \"{}\" are as fast as its ports, and the {}s of these "
                      "machines are not equally fast",
                      links, word_of(network_.type.value), ports_.noun),
          std::string(remedy));
  }

  // Reports every key that the type does not use.
  void refuse_keys_of_other_types() {
    const auto type = network_.type.value;
    const bool has_leaves = type == NetworkType::leaf_spine || type == NetworkType::rails;
    const bool is_tree = type == NetworkType::fat_tree;
    const bool is_torus = type == NetworkType::torus;
    const struct {
      std::string_view key;
      bool is_there;
      bool is_known;
    } rows[] = {
        {"machines_per_leaf", network_.machines_per_leaf.has_value(), has_leaves},
        {"spines", network_.spines.has_value(), has_leaves},
        {"children", network_.children.has_value(), is_tree},
        {"parents", network_.parents.has_value(), is_tree},
        {"uplink", network_.uplink.has_value(), has_leaves || is_tree},
        {"shape", network_.shape.has_value(), is_torus || type == NetworkType::mesh},
        {"wrap", network_.wrap.has_value(), is_torus},
        {"twisted", network_.twisted.value, is_torus},
    };
    for (const auto& row : rows) {
      if (!row.is_there || row.is_known) continue;
      problems_.add(network_.place,
                    fmt::format("\"{}\" has no meaning for a network of type \"{}\"", row.key, word_of(type)),
                    "leave it out");
    }
  }

  Link port(const EqualPorts& group) const {
    const Wire wire =
        group.usual == nullptr ? network_.wire : port_wire(network_, *group.usual, ports_.groups.size() > 1);
    return {ports_.port_kind, payload(wire), wire.latency};
  }
  Link port() const { return port(first()); }

  // The links of the ports, in stretches of equal ones.
  std::vector<SwitchFabric::PortLinks> wires() const {
    std::vector<SwitchFabric::PortLinks> wires;
    for (const EqualPorts& group : ports_.groups) {
      const Link link = port(group);
      const bool is_same = !wires.empty() && wires.back().link.bandwidth == link.bandwidth &&
                           wires.back().link.latency == link.latency;
      if (!is_same) wires.push_back({0, link});
      wires.back().ports += group.machines * group.per_machine;
    }
    return wires;
  }

  // ---- Switches

  // Makes the fabric of all types with switches, from its levels without the port.
  std::unique_ptr<const Fabric> switches(SwitchFabric::Levels levels) {
    levels.ports = wires();
    levels.choice = network_.routes;
    levels.seed = network_.seed;
    if (ports_.port_kind == LinkKind::nvlink) levels.noun = "nvswitch";
    std::int64_t uplinks = count();
    for (const std::int32_t parents : levels.parents) uplinks *= parents;
    if (uplinks > most_uplinks) {
      problems_.add(network_.place,
                    fmt::format("there are more than {} links between switches", most_uplinks),
                    "describe fewer switches");
    }
    if (problems_.any()) return nullptr;
    auto fabric = std::make_unique<SwitchFabric>(count(), std::move(levels));
    if (!fabric->uses_uplinks() && (network_.spines.value_or(0) > 0 || network_.parents)) {
      warnings_.push_back({network_.place,
                           "the links between switches are unused: one leaf switch has every port",
                           "write \"type\": \"switch\", or join more machines"});
    }
    return fabric;
  }

  std::unique_ptr<const Fabric> one_switch() { return switches({.children = {count()}}); }

  // Every leaf has one uplink to each spine. Together they carry 1 / oversubscription of what its ports
  // carry.
  Link uplink_of_leaf(std::int32_t ports_of_leaf) {
    if (network_.uplink) return {ports_.uplink_kind, payload(*network_.uplink), network_.uplink->latency};
    check_equal_wires("the links between switches", R"(add "uplink": the wire between switches)");
    const Link below = port();
    const double share = ports_of_leaf / (network_.spines.value_or(1) * network_.oversubscription);
    return {ports_.uplink_kind, below.bandwidth * share, below.latency};
  }

  std::int32_t required(std::string_view key, const std::optional<int>& value) {
    if (!value) {
      problems_.add(network_.place,
                    fmt::format("a network of type \"{}\" needs \"{}\"", word_of(network_.type.value), key),
                    "add it");
    }
    return value.value_or(1);
  }

  // Leaf switches with consecutive machines, and spines above all of them.
  std::unique_ptr<const Fabric> leaf_spine() {
    const std::int32_t leaf = required("machines_per_leaf", network_.machines_per_leaf) * per_machine();
    const std::int32_t spines = required("spines", network_.spines);
    return switches({.children = {leaf, (count() + leaf - 1) / leaf},
                     .parents = {spines},
                     .uplinks = {uplink_of_leaf(leaf)}});
  }

  // NIC i of every machine is on rail i. Without spines each rail is one switch; with spines each rail has
  // leaves of its own, and the spines join all rails.
  std::unique_ptr<const Fabric> rails() {
    if (first().usual == nullptr) {
      problems_.add(network_.type.place, "\"rails\" join NICs, and a fabric joins devices",
                    "write \"switch\", or write it as the \"network\"");
      return nullptr;
    }
    const std::int32_t machines = this->machines(), per_machine = this->per_machine();
    const std::int32_t leaf = std::min(network_.machines_per_leaf.value_or(machines), machines);
    if (!network_.spines) {
      if (leaf < machines) {
        problems_.add(network_.place,
                      fmt::format("rails of {} machines on leaf switches of {} machines are not connected",
                                  machines, leaf),
                      "add \"spines\", or leave \"machines_per_leaf\" out");
      }
      return switches({.children = {machines}, .rails = per_machine, .noun = "rail"});
    }
    const std::int32_t leaves = (machines + leaf - 1) / leaf * per_machine;
    return switches({.children = {leaf, leaves},
                     .parents = {*network_.spines},
                     .uplinks = {uplink_of_leaf(leaf)},
                     .rails = per_machine});
  }

  // The described levels, whose uplinks are as fast as a port unless "uplink" describes them.
  std::unique_ptr<const Fabric> fat_tree() {
    if (!network_.children || !network_.parents) {
      required("children", network_.children ? std::optional<int>(1) : std::nullopt);
      required("parents", network_.parents ? std::optional<int>(1) : std::nullopt);
      return nullptr;
    }
    const std::vector<int>& children = network_.children->value;
    const std::vector<int>& parents = network_.parents->value;
    if (children.empty() || children.size() > 8 || parents.size() + 1 != children.size()) {
      problems_.add(
          network_.parents->place,
          fmt::format("\"children\" has {} levels, and \"parents\" has {}", children.size(), parents.size()),
          "write one level fewer in \"parents\", because the top switches have no uplinks; at most 8 levels");
      return nullptr;
    }
    std::int64_t capacity = 1;
    for (const int below : children) capacity = std::min<std::int64_t>(capacity * below, most_uplinks);
    if (capacity < count()) {
      problems_.add(network_.children->place,
                    fmt::format("the tree has {} ports for {} {}s", capacity, count(), ports_.noun),
                    fmt::format("the product of \"children\" must be at least {}", count()));
    }
    if (!network_.uplink)
      check_equal_wires("the links between switches", R"(add "uplink": the wire between switches)");
    Link uplink = port();
    if (network_.uplink) uplink = {ports_.uplink_kind, payload(*network_.uplink), network_.uplink->latency};
    uplink.kind = ports_.uplink_kind;
    return switches(
        {.children = children, .parents = parents, .uplinks = std::vector<Link>(parents.size(), uplink)});
  }

  // ---- Grids

  // The described shape, else the shape of two axes that is closest to a square.
  Shape shape() const {
    if (network_.shape) return network_.shape->value;
    std::int32_t rows = 1;
    for (std::int32_t extent = 1; std::int64_t{extent} * extent <= count(); ++extent)
      if (count() % extent == 0) rows = extent;
    return Shape{{rows, count() / rows}};
  }

  std::vector<bool> wraps() {
    if (!network_.wrap) return std::vector<bool>(shape().axes(), true);
    if (network_.wrap->value.size() != shape().axes()) {
      problems_.add(network_.wrap->place,
                    fmt::format("\"wrap\" must have one entry for each of the {} axes, and it has {}",
                                shape().axes(), network_.wrap->value.size()),
                    "write true or false for each axis");
    }
    return network_.wrap->value;
  }

  // A ring, a mesh or a torus, whose places are numbered as the ports.
  std::unique_ptr<const Fabric> grid(Shape shape, std::vector<bool> wraps) {
    if (shape.count() != count()) {
      problems_.add(
          network_.shape->place,
          fmt::format("{} has {} places for {} {}s", print(shape), shape.count(), count(), ports_.noun),
          fmt::format("write a shape whose extents have the product {}", count()));
    }
    const bool closes = std::find(wraps.begin(), wraps.end(), false) == wraps.end();
    if (network_.twisted.value && !(closes && can_be_twisted(shape))) {
      problems_.add(network_.twisted.place, fmt::format("a torus of {} cannot be twisted", print(shape)),
                    "n x 2n, n x n x 2n and n x 2n x 2n that close on every axis can be twisted");
    }
    check_equal_wires("the links", R"(write "type": "switch")");
    if (problems_.any()) return nullptr;
    const Shape block{std::vector<std::int32_t>(shape.axes(), 1)};
    return std::make_unique<TorusFabric>(
        Grid{std::move(shape), std::move(wraps), network_.twisted.value, block}, port());
  }

  const Network& network_;
  const Ports& ports_;
  Problems& problems_;
  std::vector<Problem>& warnings_;
};

}  // namespace

Wire port_wire(const Network& network, const Wire& nic, bool is_among_unlike) {
  const bool is_limited = is_among_unlike && payload(nic) < payload(network.wire);
  if (network.wire.bandwidth && !is_limited) return network.wire;
  Wire wire = nic;
  if (network.wire.latency > Seconds(0)) wire.latency = network.wire.latency;
  return wire;
}

BytesPerSecond payload(const Wire& wire) {
  return wire.bandwidth.value_or(BytesPerSecond(0)) * wire.links * wire.efficiency;
}

std::unique_ptr<const Fabric> make_fabric(const Network& network, const Ports& ports, Problems& problems,
                                          std::vector<Problem>& warnings) {
  return NetworkBuilder(network, ports, problems, warnings).build();
}

}  // namespace wt::platform
