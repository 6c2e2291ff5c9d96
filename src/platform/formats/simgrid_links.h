#pragma once
// SimGrid's links by their names. A split link has two halves, one for each direction. A route names a half
// by the id of the link with a direction, or by the name of the half:
//
//   <link id="l" sharing_policy="SPLITDUPLEX" .../>
//   <link_ctn id="l" direction="UP"/>   or   <link_ctn id="l_UP"/>

#include <string>
#include <string_view>
#include <unordered_map>

#include "platform/formats/simgrid_attributes.h"
#include "platform/formats/zones.h"

namespace wt::platform {

class SimgridLinks {
 public:
  // The indices of a link's halves in Zones::links. They are equal if both directions share the link.
  struct Pair {
    std::int32_t up = -1;
    std::int32_t down = -1;
    bool is_split = false;
    std::int32_t in(std::string_view direction) const { return direction == "DOWN" ? down : up; }
  };

  // Requires: the zones live longer than this object.
  explicit SimgridLinks(Zones& zones) : zones_(zones) {}

  // Adds a link that routes cannot name, such as the links of a cluster.
  Pair add(const xml::Element& element, const std::string& name, const Link& link, simgrid::Sharing sharing);
  // Adds a link that routes can name. A second link with the same name is a problem.
  Pair add_named(const xml::Element& element, const std::string& name, const Link& link,
                 simgrid::Sharing sharing);

  // The index of the link with an id, in a direction: "UP", "DOWN" or "NONE". -1, and a problem, if there is
  // none.
  std::int32_t find(const xml::Element& element, std::string_view attribute, const std::string& id,
                    std::string_view direction) const;

  // The same link in the opposite direction. Requires: find has found the link.
  std::int32_t find_back(const std::string& id, std::string_view direction) const;

 private:
  // The half with a name like "link_UP".
  struct Half {
    const Pair* whole = nullptr;  // null: no half has this name
    bool is_up = false;
  };
  Half half_named(const std::string& id) const;
  std::string remedy_for(const std::string& id) const;

  Zones& zones_;
  std::unordered_map<std::string, Pair> named_{};
};

}  // namespace wt::platform
