#include "platform/formats/simgrid_routes.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace wt::platform {

using xml::Element;

SimgridRoutes::Ends SimgridRoutes::read_ends(Element& element, bool has_gateways) {
  Ends ends{.from = element.required("src"), .to = element.required("dst")};
  if (has_gateways) {
    ends.leaves = element.required("gw_src");
    ends.enters = element.required("gw_dst");
  }
  const std::string symmetrical = element.optional("symmetrical", "YES");
  ends.is_symmetrical = symmetrical == "YES" || symmetrical == "yes";
  if (!ends.is_symmetrical && symmetrical != "NO" && symmetrical != "no")
    element.problem("symmetrical", fmt::format("\"{}\" is neither YES nor NO", printable(symmetrical)),
                    "write YES or NO");
  element.finish();
  return ends;
}

void SimgridRoutes::add(const Element& element, std::int32_t zone, const Ends& ends) {
  const std::int32_t from = members_.find(element, "src", ends.from, zone);
  const std::int32_t to = members_.find(element, "dst", ends.to, zone);
  const std::int32_t leaves = members_.find_gateway(element, "gw_src", ends.leaves, from);
  const std::int32_t enters = members_.find_gateway(element, "gw_dst", ends.enters, to);
  Zones::Passage forward{{}, leaves, enters};
  Zones::Passage back{{}, enters, leaves};
  read_links(element, forward, back);
  if (from < 0 || to < 0) return;
  if (from == to) {
    warnings_.push_back({element.place(), "the route from a host to itself is left out",
                         "a transfer from a host to itself takes no time in the simulation"});
    return;
  }
  const bool is_new = store(element, zone, from, to, forward, ends);
  if (is_new && ends.is_symmetrical) store(element, zone, to, from, back, {.from = ends.to, .to = ends.from});
}

// The links of a route in order, and the opposite links in the opposite order.
void SimgridRoutes::read_links(const Element& element, Zones::Passage& forward, Zones::Passage& back) const {
  for (Element& child : element.children()) {
    if (child.name() != "link_ctn") {
      child.refuse();
      continue;
    }
    const std::string id = child.required("id");
    const std::string direction = child.optional("direction", "NONE");
    child.finish();
    if (direction != "UP" && direction != "DOWN" && direction != "NONE")
      child.problem("direction", fmt::format("\"{}\" is not a direction", printable(direction)),
                    "write UP, DOWN or NONE");
    forward.links.push_back(links_.find(child, "id", id, direction));
    if (forward.links.back() >= 0) back.links.insert(back.links.begin(), links_.find_back(id, direction));
  }
}

bool SimgridRoutes::store(const Element& element, std::int32_t zone, std::int32_t from, std::int32_t to,
                          const Zones::Passage& passage, const Ends& ends) {
  if (zones_.zones[static_cast<std::size_t>(zone)].passages.try_emplace({from, to}, passage).second)
    return true;
  element.problem(fmt::format("the route from \"{}\" to \"{}\" is defined twice", printable(ends.from),
                              printable(ends.to)),
                  R"(leave one out; a route applies in both directions unless it has symmetrical="NO")");
  return false;
}

}  // namespace wt::platform
