#include "scenario/fault_links.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace wt::scenario {

std::vector<platform::LinkId> network_of(const platform::Platform& platform, std::int32_t machine) {
  std::set<platform::LinkId> links;
  const std::int32_t other = machine == 0 ? platform.machines() - 1 : 0;
  if (other == machine) return {};
  const auto is_between = [&](platform::LinkId link) { return platform.machine_of(link) < 0; };
  const auto add = [&](const std::vector<platform::LinkId>& route, auto next_to_it) {
    for (const platform::LinkId link : route)
      if (platform.link(link).kind == platform::LinkKind::nic && platform.machine_of(link) == machine)
        links.insert(link);
    if (next_to_it != route.size()) links.insert(route[next_to_it]);
  };
  std::vector<platform::Endpoint> own = platform.devices_of(machine);
  std::ranges::copy(platform.hosts_of(machine), std::back_inserter(own));
  for (const platform::Endpoint from : own) {
    const platform::Endpoint to =
        platform.is_device(from) ? platform.devices_of(other).front() : platform.hosts_of(other).front();
    const std::vector<platform::LinkId> out = platform.route(from, to).links,
                                        in = platform.route(to, from).links;
    add(out, static_cast<std::size_t>(std::ranges::find_if(out, is_between) - out.begin()));
    const auto last = std::ranges::find_if(in.rbegin(), in.rend(), is_between);
    add(in, last == in.rend() ? in.size() : in.size() - 1 - static_cast<std::size_t>(last - in.rbegin()));
  }
  return {links.begin(), links.end()};
}

std::vector<platform::LinkId> links_named(const platform::Platform& platform, std::string_view name) {
  std::vector<platform::LinkId> links;
  for (std::int32_t i = 0; i < platform.links(); ++i)
    if (const platform::LinkId link{i}; platform.name(link) == name) links.push_back(link);
  return links;
}

std::vector<std::string> names_of_links(const platform::Platform& platform, std::size_t most) {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < platform.links() && names.size() < most; ++i)
    names.push_back(platform.name(platform::LinkId{i}));
  return names;
}

namespace {

struct Ends {
  std::set<std::int32_t> senders{}, receivers{};
};

// The machines at the ends of the ways that pass such a link, between the first devices and the first hosts of each two.
Ends ends_of_ways(const std::vector<platform::LinkId>& links, const platform::Platform& platform,
                  const std::set<std::int32_t>& machines) {
  const auto passes = [&](platform::Endpoint from, platform::Endpoint to) {
    const std::vector<platform::LinkId> route = platform.route(from, to).links;
    return std::ranges::find_first_of(route, links) != route.end();
  };
  Ends ends;
  for (const std::int32_t from : machines)
    for (const std::int32_t to : machines) {
      if (from == to) continue;
      if (!passes(platform.devices_of(from).front(), platform.devices_of(to).front()) &&
          !passes(platform.hosts_of(from).front(), platform.hosts_of(to).front()))
        continue;
      ends.senders.insert(from);
      ends.receivers.insert(to);
    }
  return ends;
}

}  // namespace

std::vector<std::int32_t> machines_behind(const std::vector<platform::LinkId>& links,
                                          const platform::Platform& platform,
                                          const std::vector<std::int32_t>& machines) {
  const std::set<std::int32_t> all(machines.begin(), machines.end());
  std::vector<std::int32_t> behind;
  for (const std::int32_t machine : all) {
    const std::vector<platform::LinkId> network = network_of(platform, machine);
    if (platform.machine_of(links.front()) == machine ||
        std::ranges::find_first_of(network, links) != network.end())
      behind.push_back(machine);
  }
  if (!behind.empty()) return behind;
  const Ends ends = ends_of_ways(links, platform, all);
  const std::set<std::int32_t>& fewer =
      ends.senders.size() <= ends.receivers.size() ? ends.senders : ends.receivers;
  const bool is_within = fewer.empty() && platform.link(links.front()).kind == platform::LinkKind::ici;
  const std::set<std::int32_t>& found = is_within ? all : fewer;
  return {found.begin(), found.end()};
}

}  // namespace wt::scenario
