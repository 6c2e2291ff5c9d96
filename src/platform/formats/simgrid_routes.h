#pragma once
// The routes that SimGrid's zones state: between two of a zone's members, link by link, one way or both ways.

#include <vector>

#include "platform/formats/simgrid_links.h"
#include "platform/formats/simgrid_members.h"

namespace wt::platform {

class SimgridRoutes {
 public:
  // Requires: all of them outlive it.
  SimgridRoutes(Zones& zones, const SimgridMembers& members, const SimgridLinks& links,
                std::vector<Problem>& warnings)
      : zones_(zones), members_(members), links_(links), warnings_(warnings) {}

  // By name, as a <route> has them, or a <zoneRoute> with gateways.
  struct Ends {
    std::string from{}, to{}, leaves{}, enters{};
    bool is_symmetrical = true;
  };
  static Ends read_ends(xml::Element& element, bool has_gateways);

  // Everything that a route may name has been read.
  void add(const xml::Element& element, std::int32_t zone, const Ends& ends);

 private:
  void read_links(const xml::Element& element, Zones::Passage& forward, Zones::Passage& back) const;
  bool store(const xml::Element& element, std::int32_t zone, std::int32_t from, std::int32_t to,
             const Zones::Passage& passage, const Ends& ends);

  Zones& zones_;
  const SimgridMembers& members_;
  const SimgridLinks& links_;
  std::vector<Problem>& warnings_;
};

}  // namespace wt::platform
