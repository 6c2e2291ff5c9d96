#include "platform/formats/zones.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>

#include "base/narrow.h"

namespace wt::platform {

namespace {

using Zone = Zones::Zone;
using Member = Zones::Member;
using Links = std::vector<std::int32_t>;

constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// The routes between all pairs of hosts are checked, or, of more hosts than this, those from and to the first
// host.
constexpr std::size_t most_checked_hosts = 512;
constexpr std::size_t most_reported = 8;

void append(Links& links, const Links& more) { links.insert(links.end(), more.begin(), more.end()); }

// Appends links that are not yet in the list, because a route in a star crosses the centre only once.
void append_once(Links& links, const Links& more) {
  for (const std::int32_t link : more)
    if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
}

}  // namespace

ZoneFabric::ZoneFabric(Zones zones, Problems& problems, std::vector<Problem>& warnings)
    : zones_(std::move(zones)) {
  for (std::size_t link = 0; link < zones_.links.size(); ++link) {
    number_.push_back(zones_.links[link].is_shared ? narrow<std::int32_t>(shared_.size()) : -1);
    if (zones_.links[link].is_shared) shared_.push_back(static_cast<std::int32_t>(link));
  }
  for (Zone& zone : zones_.zones)
    if (zone.rule == Zones::Rule::shortest) find_shortest(zone);
  const auto hosts = narrow<std::int32_t>(zones_.hosts.size());
  const bool all = zones_.hosts.size() <= most_checked_hosts;
  std::vector<bool> used(zones_.links.size(), false);
  std::size_t reported = 0;
  for (std::int32_t from = 0; from < hosts && reported < most_reported; ++from) {
    for (std::int32_t to = from + 1; to < hosts && reported < most_reported; ++to) {
      if (!all && from > 0) break;
      // At most one problem is reported for each pair, because both directions usually have the same cause.
      std::optional<Problem> problem = problem_between(from, to, used);
      const std::optional<Problem> back = problem_between(to, from, used);
      if (!problem) problem = back;
      if (problem) problems.add(*problem);
      reported += problem ? 1 : 0;
    }
  }
  if (reported > 0) return;
  for (std::size_t link = 0; all && link < used.size(); ++link) {
    if (!used[link])
      warnings.push_back({zones_.links[link].place,
                          fmt::format("the link {} is unused", zones_.links[link].name),
                          "no route between two hosts takes it"});
  }
}

const Zones::NamedLink& ZoneFabric::named(std::int32_t link) const {
  return zones_.links[at(shared_[at(link)])];
}

// Checks one route and marks its links as used. A FATPIPE, whose whole bandwidth every flow gets, is
// represented only by its latency, so it must not be the bottleneck.
std::optional<Problem> ZoneFabric::problem_between(std::int32_t from, std::int32_t to,
                                                   std::vector<bool>& used) const {
  const Member& first = zones_.members[at(zones_.hosts[at(from)])];
  const Member& last = zones_.members[at(zones_.hosts[at(to)])];
  Links links;
  if (!add(zones_.hosts[at(from)], zones_.hosts[at(to)], links))
    return Problem{first.place, fmt::format("there is no route from {} to {}", first.name, last.name),
                   "add the <route>, or the <zoneRoute> between their zones"};
  if (links.empty())
    return Problem{first.place, fmt::format("the route from {} to {} has no links", first.name, last.name),
                   "add a <link_ctn>, because every transfer takes time"};
  double narrowest = std::numeric_limits<double>::infinity();
  for (const std::int32_t link : links) {
    used[at(link)] = true;
    const Zones::NamedLink& content = zones_.links[at(link)];
    if (content.is_shared) narrowest = std::min(narrowest, content.link.bandwidth.count());
  }
  for (const std::int32_t link : links) {
    const Zones::NamedLink& content = zones_.links[at(link)];
    if (content.is_shared || content.link.bandwidth.count() >= narrowest) continue;
    return Problem{
        content.place,
        fmt::format("the FATPIPE {} limits the route from {} to {}", content.name, first.name, last.name),
        "every flow gets all of a FATPIPE, which cannot be simulated; make it SHARED, or faster than the "
        "route's other links"};
  }
  return std::nullopt;
}

// SimGrid's rule (NetZoneImpl::get_global_route): the route of the innermost zone around both, from the
// member that contains `from` to the one that contains `to`, and before and after it the routes from and to
// its gateways.
bool ZoneFabric::add(std::int32_t from, std::int32_t to, Links& links) const {
  if (from == to) return true;
  std::int32_t first = from;
  std::int32_t last = to;
  const auto zone_of = [&](std::int32_t member) { return zones_.members[at(member)].zone; };
  const auto up = [&](std::int32_t& member) { member = zones_.zones[at(zone_of(member))].member; };
  const auto depth = [&](std::int32_t member) { return zones_.zones[at(zone_of(member))].depth; };
  while (depth(first) > depth(last)) up(first);
  while (depth(last) > depth(first)) up(last);
  while (zone_of(first) != zone_of(last)) {
    up(first);
    up(last);
  }
  if (first == last) return false;  // one of the two is a zone that contains the other
  return add_across(zones_.zones[at(zone_of(first))], from, to, first, last, links);
}

bool ZoneFabric::add_across(const Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                            std::int32_t last, Links& links) const {
  if (zone.rule == Zones::Rule::star) return add_star(zone, from, to, first, last, links);
  if (zone.rule == Zones::Rule::shortest) return add_shortest(zone, from, to, first, last, links);
  const auto found = zone.passages.find({first, last});
  return found != zone.passages.end() && add_passage(found->second, from, to, links);
}

// To the first gateway, over the stated links, and from the second gateway on.
bool ZoneFabric::add_passage(const Zones::Passage& passage, std::int32_t from, std::int32_t to,
                             Links& links) const {
  if (!add(from, passage.leaves, links)) return false;
  append(links, passage.links);
  return add(passage.enters, to, links);
}

// Up to the centre, over the backbone, and down again.
bool ZoneFabric::add_star(const Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                          std::int32_t last, Links& links) const {
  if (from != first || to != last) return false;  // the reader puts only hosts and routers into stars
  Links found;
  const auto ray_from = zone.rays.find(first);
  const auto ray_to = zone.rays.find(last);
  if (ray_from != zone.rays.end()) append_once(found, ray_from->second.up);
  append_once(found, zone.centre);
  if (ray_to != zone.rays.end()) append_once(found, ray_to->second.down);
  append(links, found);
  return true;
}

// ---- Shortest paths: the fewest links (Dijkstra, 1959); of equal ones the members that come first

// Sets zone.before by Dijkstra's algorithm from each member. The length of a stated route is its number of
// links.
void ZoneFabric::find_shortest(Zone& zone) const {
  const auto count = narrow<std::int32_t>(zone.members.size());
  std::map<std::int32_t, std::int32_t> place;
  for (std::int32_t index = 0; index < count; ++index) place[zone.members[at(index)]] = index;
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> leaving(zone.members.size());
  for (const auto& [pair, passage] : zone.passages)
    leaving[at(place[pair.first])].push_back({place[pair.second], std::ssize(passage.links)});
  using Reached = std::pair<std::int64_t, std::int32_t>;
  for (std::int32_t start = 0; start < count; ++start) {
    std::vector<std::int32_t> before(zone.members.size(), -1);
    std::vector<std::int64_t> distance(zone.members.size(), std::numeric_limits<std::int64_t>::max());
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
    distance[at(start)] = 0;
    next.push({0, start});
    while (!next.empty()) {
      const auto [length, member] = next.top();
      next.pop();
      if (length > distance[at(member)]) continue;
      for (const auto& [other, links] : leaving[at(member)]) {
        if (length + links >= distance[at(other)]) continue;
        distance[at(other)] = length + links;
        before[at(other)] = member;
        next.push({length + links, other});
      }
    }
    zone.before.push_back(std::move(before));
  }
}

// Follows zone.before back from the last member to the first, and then adds the stated routes between the
// stops.
bool ZoneFabric::add_shortest(const Zone& zone, std::int32_t from, std::int32_t to, std::int32_t first,
                              std::int32_t last, Links& links) const {
  const auto place = [&](std::int32_t member) {
    return static_cast<std::int32_t>(std::find(zone.members.begin(), zone.members.end(), member) -
                                     zone.members.begin());
  };
  const std::int32_t start = place(first);
  Links stops;
  for (std::int32_t stop = place(last); stop >= 0; stop = zone.before[at(start)][at(stop)]) {
    stops.push_back(zone.members[at(stop)]);
    if (stop == start) break;
  }
  if (stops.back() != first) return false;
  std::int32_t stands = from;
  for (std::size_t stop = stops.size() - 1; stop > 0; --stop) {
    const Zones::Passage& passage = zone.passages.at({stops[stop], stops[stop - 1]});
    if (!add(stands, passage.leaves, links)) return false;
    append(links, passage.links);
    stands = passage.enters;
  }
  return add(stands, to, links);
}

void ZoneFabric::route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const {
  Links links;
  if (!add(zones_.hosts[at(from)], zones_.hosts[at(to)], links)) return;
  for (const std::int32_t link : links) {
    const Link& content = zones_.links[at(link)].link;
    if (number_[at(link)] < 0)
      trail.wait(content.latency);  // a FATPIPE, which is never the bottleneck
    else
      trail.add(LinkId(static_cast<std::int32_t>(first) + number_[at(link)]), content);
  }
}

}  // namespace wt::platform
