#pragma once
// The members of SimGrid's zones by their names: hosts, routers, and zones inside zones.

#include <string>
#include <string_view>
#include <unordered_map>

#include "platform/formats/xml.h"
#include "platform/formats/zones.h"

namespace wt::platform {

class SimgridMembers {
 public:
  // Requires: the zones live longer than this object.
  explicit SimgridMembers(Zones& zones) : zones_(zones) {}

  // Add a router, a host or a zone to the zone with a number; -1: no zone is around it. A second member with
  // the same name is a problem. `add` and `add_host` return the number of the member, `add_zone` that of the
  // new zone.
  std::int32_t add(const xml::Element& element, std::string name, std::int32_t zone);
  std::int32_t add_host(const xml::Element& element, std::string name, std::int32_t zone);
  std::int32_t add_zone(const xml::Element& element, std::string name, Zones::Rule rule, std::int32_t around);

  // The member of a zone with an id. -1, and a problem, if the zone has none.
  std::int32_t find(const xml::Element& element, std::string_view attribute, const std::string& id,
                    std::int32_t zone) const;

  // The gateway of a member: the host or router with this id inside the member if that is a zone, else the
  // member itself. -1, and a problem, if there is none.
  std::int32_t find_gateway(const xml::Element& element, std::string_view attribute, const std::string& id,
                            std::int32_t member) const;

 private:
  Zones::Member& member(std::int32_t number) { return zones_.members[static_cast<std::size_t>(number)]; }
  const Zones::Member& member(std::int32_t number) const {
    return zones_.members[static_cast<std::size_t>(number)];
  }
  Zones::Zone& zone(std::int32_t number) const { return zones_.zones[static_cast<std::size_t>(number)]; }
  bool is_inside(std::int32_t inner, std::int32_t outer) const;

  Zones& zones_;
  std::unordered_map<std::string, std::int32_t> named_{};
};

}  // namespace wt::platform
