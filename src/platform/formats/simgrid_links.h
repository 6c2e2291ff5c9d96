#pragma once
// SimGrid's links by their names. One that is split has two halves, up and down, which routes name too.

#include <string>
#include <string_view>
#include <unordered_map>

#include "platform/formats/simgrid_attributes.h"
#include "platform/formats/zones.h"

namespace wt::platform {

class SimgridLinks {
 public:
  // Among the zones' links; up and down are one where both directions share it.
  struct Pair {
    std::int32_t up = -1;
    std::int32_t down = -1;
    bool is_split = false;
    std::int32_t in(std::string_view direction) const { return direction == "DOWN" ? down : up; }
  };

  // Requires: the zones outlive it.
  explicit SimgridLinks(Zones& zones) : zones_(zones) {}

  // That routes can't name, as a cluster's own.
  Pair add(const xml::Element& element, const std::string& name, const Link& link, simgrid::Sharing sharing);
  Pair add_named(const xml::Element& element, const std::string& name, const Link& link,
                 simgrid::Sharing sharing);

  // The link that an id names in a direction, "UP", "DOWN" or "NONE": -1, and a problem, where there is none.
  std::int32_t find(const xml::Element& element, std::string_view attribute, const std::string& id,
                    std::string_view direction) const;

  // The same on the way back. Requires: find found it.
  std::int32_t find_back(const std::string& id, std::string_view direction) const;

 private:
  // A half by its own name: "link_UP".
  struct Half {
    const Pair* whole = nullptr;  // null: it is none
    bool is_up = false;
  };
  Half half_named(const std::string& id) const;
  std::string remedy_for(const std::string& id) const;

  Zones& zones_;
  std::unordered_map<std::string, Pair> named_{};
};

}  // namespace wt::platform
