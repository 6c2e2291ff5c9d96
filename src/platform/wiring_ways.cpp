#include <algorithm>

#include "platform/wiring_steps.h"

namespace wt::platform {

Ways::Ways(std::size_t parts, std::span<const Edge> edges)
    : edges_(edges.begin(), edges.end()), leaving_(parts) {
  for (std::size_t edge = 0; edge < edges_.size(); ++edge)
    leaving_[at(edges_[edge].from)].push_back(static_cast<std::int32_t>(edge));
}

std::vector<std::int32_t> Ways::arrivals(std::int32_t start) const {
  std::vector<std::int32_t> by(leaving_.size(), no_part);
  std::vector<std::int32_t> reached{start};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const std::int32_t edge : leaving_[at(reached[next])]) {
      const std::int32_t to = edges_[at(edge)].to;
      if (to == start || by[at(to)] != no_part) continue;
      by[at(to)] = edge;
      reached.push_back(to);
    }
  }
  return by;
}

Ways::Path Ways::path(const std::vector<std::int32_t>& by, std::int32_t to) const {
  Path links;
  for (; by[at(to)] != no_part; to = edges_[at(by[at(to)])].from) links.push_back(by[at(to)]);
  std::reverse(links.begin(), links.end());
  return links;
}

std::vector<std::int32_t> Ways::distances(std::int32_t start) const {
  std::vector<std::int32_t> distance(leaving_.size(), no_part);
  distance[at(start)] = 0;
  std::vector<std::int32_t> reached{start};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const std::int32_t edge : leaving_[at(reached[next])]) {
      const std::int32_t to = edges_[at(edge)].to;
      if (distance[at(to)] != no_part) continue;
      distance[at(to)] = distance[at(reached[next])] + 1;
      reached.push_back(to);
    }
  }
  return distance;
}

}  // namespace wt::platform
