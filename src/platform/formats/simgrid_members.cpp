#include "platform/formats/simgrid_members.h"

#include <fmt/format.h>

#include <vector>

#include "base/narrow.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::platform {

using xml::Element;

std::int32_t SimgridMembers::add(const Element& element, std::string name, std::int32_t zone_around) {
  const auto number = narrow<std::int32_t>(zones_.members.size());
  if (!named_.try_emplace(name, number).second)
    element.problem("id", fmt::format("the id \"{}\" is used twice", printable(name)),
                    "give one of them another id");
  zones_.members.push_back({.name = std::move(name), .zone = zone_around, .place = element.place()});
  if (zone_around >= 0) zone(zone_around).members.push_back(number);
  return number;
}

std::int32_t SimgridMembers::add_host(const Element& element, std::string name, std::int32_t zone_around) {
  const std::int32_t host = add(element, std::move(name), zone_around);
  member(host).port = narrow<std::int32_t>(zones_.hosts.size());
  zones_.hosts.push_back(host);
  return host;
}

std::int32_t SimgridMembers::add_zone(const Element& element, std::string name, Zones::Rule rule,
                                      std::int32_t around) {
  const auto number = narrow<std::int32_t>(zones_.zones.size());
  const std::int32_t own = add(element, std::move(name), around);
  member(own).inside = number;
  zones_.zones.push_back({.rule = rule,
                          .member = own,
                          .depth = around < 0 ? 0 : zone(around).depth + 1,
                          .place = element.place()});
  return number;
}

std::int32_t SimgridMembers::find(const Element& element, std::string_view attribute, const std::string& id,
                                  std::int32_t in_zone) const {
  constexpr std::string_view remedy = "name a host, router or zone of this zone";
  constexpr std::size_t most_compared = 256;  // names that are compared to suggest one
  const auto found = named_.find(id);
  if (found != named_.end() && member(found->second).zone == in_zone) return found->second;
  if (found != named_.end()) {
    element.problem(attribute, fmt::format("\"{}\" is not a member of this zone", printable(id)),
                    std::string(remedy));
    return -1;
  }
  std::vector<std::string_view> known;
  for (const std::int32_t number : zone(in_zone).members)
    if (known.size() < most_compared) known.push_back(member(number).name);
  const std::string_view near = nearest(id, known);
  element.problem(attribute, fmt::format("this zone has no member \"{}\"", printable(id)),
                  near.empty() ? std::string(remedy) : fmt::format("did you mean \"{}\"?", near));
  return -1;
}

bool SimgridMembers::is_inside(std::int32_t inner, std::int32_t outer) const {
  while (inner >= 0 && inner != outer) {
    const std::int32_t around = member(inner).zone;
    inner = around < 0 ? -1 : zone(around).member;
  }
  return inner == outer;
}

std::int32_t SimgridMembers::find_gateway(const Element& element, std::string_view attribute,
                                          const std::string& id, std::int32_t of) const {
  if (of < 0) return -1;
  const Zones::Member& content = member(of);
  if (content.inside < 0 && (id.empty() || id == content.name)) return of;
  if (id.empty() && element.name() == "route") {
    element.problem(fmt::format("\"{}\" is a zone and needs a gateway", printable(content.name)),
                    "write a <zoneRoute> with gateways");
    return -1;
  }
  if (id.empty() && !element.has(attribute)) return -1;  // the missing attribute was reported already
  const auto found = named_.find(id);
  if (found != named_.end() && member(found->second).inside < 0 && is_inside(found->second, of))
    return found->second;
  element.problem(attribute,
                  fmt::format("there is no gateway \"{}\" in \"{}\"", printable(id), printable(content.name)),
                  "name a host or router inside that zone");
  return -1;
}

}  // namespace wt::platform
