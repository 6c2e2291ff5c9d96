#include "platform/group.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "platform/topology.h"

namespace wt::platform {

namespace {

// A candidate for a cut: the set of links that one rule picks, one from every route. If some route has no
// link that the rule picks, the set separates nothing and has no capacity.
class Cut {
 public:
  void add(std::optional<LinkId> link) {
    if (link)
      links_.insert(*link);
    else
      is_whole_ = false;
  }

  // The sum of the bandwidths. None if a route has no link that the rule picks.
  std::optional<double> capacity(const Platform& platform) const {
    if (!is_whole_) return std::nullopt;
    double sum = 0;
    for (const LinkId link : links_) sum += platform.link(link).bandwidth.count();
    return sum;
  }

 private:
  std::set<LinkId> links_{};
  bool is_whole_ = true;
};

constexpr int kinds = static_cast<int>(LinkKind::on_chip) + 1;

// Adds a route to all candidates: its first link, its first link of each kind, its last link inside the
// machine, and its first link outside. `links` begin at the group.
void add_to_cuts(const Platform& platform, std::span<const LinkId> links, std::int32_t machine,
                 std::vector<Cut>& cuts) {
  std::array<std::optional<LinkId>, kinds> first{};
  for (const LinkId link : links) {
    std::optional<LinkId>& found = first[static_cast<std::size_t>(platform.link(link).kind)];
    if (!found) found = link;
  }
  cuts[0].add(links.front());
  for (std::size_t kind = 0; kind < kinds; ++kind) cuts[1 + kind].add(first[kind]);
  const auto outside =
      std::ranges::find_if(links, [&](LinkId link) { return platform.machine_of(link) != machine; });
  cuts[1 + kinds].add(outside == links.end() || outside == links.begin() ? std::nullopt
                                                                         : std::optional(*(outside - 1)));
  cuts[2 + kinds].add(outside == links.end() ? std::nullopt : std::optional(*outside));
}

// The lowest capacity of the candidates that are cuts.
BytesPerSecond narrowest(const Platform& platform, const std::vector<Cut>& cuts) {
  double least = std::numeric_limits<double>::infinity();
  for (const Cut& cut : cuts) least = std::min(least, cut.capacity(platform).value_or(least));
  return BytesPerSecond(least);
}

// Whether data can flow between the two. A switch that adds is joined only with the endpoints at its ports.
bool are_joined(const Platform& platform, Endpoint mine, Endpoint other) {
  return !platform.is_switch(other) || platform.joins(mine, other);
}

// Sets both rates of a group. They are infinite if the group has no counterpart in `everyone`.
void measure(const Platform& platform, std::span<const Endpoint> everyone, Group& group) {
  std::vector<Cut> out(3 + kinds), in(3 + kinds);
  bool has_others = false;
  for (const Endpoint mine : group.members)
    for (const Endpoint other : everyone) {
      if (std::ranges::binary_search(group.members, other) || !are_joined(platform, mine, other)) continue;
      has_others = true;
      const std::int32_t machine = platform.machine_of(mine);
      add_to_cuts(platform, platform.route(mine, other).links, machine, out);
      std::vector<LinkId> arriving = platform.route(other, mine).links;
      std::ranges::reverse(arriving);
      add_to_cuts(platform, arriving, machine, in);
    }
  const BytesPerSecond unbounded(std::numeric_limits<double>::infinity());
  group.out = has_others ? narrowest(platform, out) : unbounded;
  group.in = has_others ? narrowest(platform, in) : unbounded;
}

// The number of an endpoint inside its machine: the devices first, then the hosts, then the switch.
std::int32_t local_number(const Platform& platform, Endpoint endpoint) {
  const Topology& topology = platform.topology();
  const auto number = static_cast<std::int32_t>(endpoint);
  if (!platform.is_switch(endpoint))
    return static_cast<std::int32_t>(platform.is_device(endpoint)
                                         ? topology.spot_of_device(number).point
                                         : topology.spot_of_host(number - platform.devices()).point);
  const std::int32_t machine = platform.machine_of(endpoint);
  return machine < 0 ? 0 : topology.wiring(machine).devices() + topology.wiring(machine).hosts();
}

// Whether equal machines look alike to each other: each of a group has the same of its endpoints in the list,
// and each fabric joins as many machines of the list.
bool are_machines_alike(const Platform& platform, std::span<const Endpoint> everyone) {
  const Topology& topology = platform.topology();
  if (!topology.is_uniform()) return false;
  std::map<std::int32_t, std::set<std::int32_t>> members;  // by machine; -1: switches between machines
  for (const Endpoint endpoint : everyone)
    members[platform.machine_of(endpoint)].insert(local_number(platform, endpoint));
  if (members.empty() || members.begin()->first < 0) return false;
  std::map<std::int32_t, int> machines_of_fabric;
  std::map<std::int32_t, const std::set<std::int32_t>*> first_of_group;
  for (const auto& [machine, numbers] : members) {
    if (numbers != *first_of_group.try_emplace(topology.group_of(machine), &numbers).first->second)
      return false;
    if (topology.has_fabric()) ++machines_of_fabric[topology.copy_of(machine)];
  }
  return std::ranges::all_of(machines_of_fabric, [&](const auto& entry) {
    return entry.second == machines_of_fabric.begin()->second;
  });
}

// Where equal machines are alike, groups of the same devices of such machines have the same rates.
std::vector<std::int32_t> kind_of(const Platform& platform, const Group& group) {
  std::vector<std::int32_t> numbers{platform.group_of(platform.machine_of(group.members.front()))};
  for (const Endpoint member : group.members) numbers.push_back(local_number(platform, member));
  return numbers;
}

std::vector<Group> measured(const Platform& platform, std::vector<Group> groups,
                            std::span<const Endpoint> devices, std::span<const Endpoint> others) {
  std::vector<Endpoint> everyone(devices.begin(), devices.end());
  everyone.insert(everyone.end(), others.begin(), others.end());
  const bool alike = are_machines_alike(platform, everyone);
  std::map<std::vector<std::int32_t>, const Group*> known;
  for (Group& group : groups) {
    std::ranges::sort(group.members);
    const Group* like = &group;
    if (alike) like = known.try_emplace(kind_of(platform, group), &group).first->second;
    if (like == &group) {
      measure(platform, everyone, group);
    } else {
      group.out = like->out;
      group.in = like->in;
    }
  }
  return groups;
}

template <class Key>
std::vector<Group> grouped(std::span<const Endpoint> devices, Key key_of) {
  std::map<std::int32_t, Group> by_key;
  for (const Endpoint device : devices) by_key[key_of(device)].members.push_back(device);
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

std::vector<Group> groups_by_device(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others) {
  std::vector<Group> groups;
  for (const Endpoint device : devices) groups.push_back({{device}, {}, {}});
  return measured(platform, std::move(groups), devices, others);
}

std::vector<Group> groups_by_machine(const Platform& platform, std::span<const Endpoint> devices,
                                     std::span<const Endpoint> others) {
  return measured(platform, grouped(devices, [&](Endpoint device) { return platform.machine_of(device); }),
                  devices, others);
}

std::vector<Group> groups_by_fabric(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others) {
  const Topology& topology = platform.topology();
  const auto fabric_of = [&](Endpoint device) {
    const std::int32_t machine = platform.machine_of(device);
    return topology.has_fabric() ? topology.copy_of(machine) : machine;
  };
  return measured(platform, grouped(devices, fabric_of), devices, others);
}

}  // namespace wt::platform
