#pragma once
// What SimGrid's zones are made of, by their names: hosts, routers, and zones themselves.

#include <string>
#include <string_view>
#include <unordered_map>

#include "platform/formats/xml.h"
#include "platform/formats/zones.h"

namespace wt::platform {

class SimgridMembers {
 public:
  // Requires: the zones outlive it.
  explicit SimgridMembers(Zones& zones) : zones_(zones) {}

  // Into the zone of that number, -1: none is around it. A name that is taken is a problem.
  std::int32_t add(const xml::Element& element, std::string name, std::int32_t zone);
  std::int32_t add_host(const xml::Element& element, std::string name, std::int32_t zone);
  std::int32_t add_zone(const xml::Element& element, std::string name, Zones::Rule rule, std::int32_t around);

  // Of this zone: -1, and a problem, where there is none.
  std::int32_t find(const xml::Element& element, std::string_view attribute, const std::string& id,
                    std::int32_t zone) const;

  // A zone is left and entered at a host or router somewhere in it, anything else at itself. As find.
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
