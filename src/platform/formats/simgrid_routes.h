#pragma once
// The routes that a zone of a SimGrid platform states: between two of its members, link by link, in one
// direction or both.

#include <vector>

#include "platform/formats/simgrid_links.h"
#include "platform/formats/simgrid_members.h"

namespace wt::platform {

class SimgridRoutes {
 public:
  // Requires: all arguments live longer than this object.
  SimgridRoutes(Zones& zones, const SimgridMembers& members, const SimgridLinks& links,
                std::vector<Problem>& warnings)
      : zones_(zones), members_(members), links_(links), warnings_(warnings) {}

  // The ends of a <route>, or of a <zoneRoute>, which also has gateways.
  struct Ends {
    std::string from{}, to{};        // "src", "dst"
    std::string leaves{}, enters{};  // "gw_src", "gw_dst"; empty for a <route>
    bool is_symmetrical = true;
  };
  static Ends read_ends(xml::Element& element, bool has_gateways);

  // Adds the route to its zone. Requires: all members and links of the file have been read.
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
