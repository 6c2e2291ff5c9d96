#pragma once
// How a machine's description becomes parts and links, and these become routes: the two steps of Wiring's
// constructor.

#include "platform/wiring.h"

namespace wt::platform {

constexpr std::int32_t no_part = -1;  // and no edge

constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Where number `index` of `count` goes when they are dealt evenly, in order, to `places`.
constexpr std::int32_t dealt(std::int32_t index, std::int32_t count, std::int32_t places) {
  return static_cast<std::int32_t>(std::int64_t{index} * places / count);
}

// Devices, hosts and NICs on their PCIe tree; false where there was a problem.
bool wire_tree(Wiring& wiring, const Machine& machine, const Wiring::Options& options, Problems& problems);

// NVLink and xGMI, which NIC is near to which device, and all routes. Requires: the tree reaches every part.
void find_routes(Wiring& wiring, const Machine& machine, const Wiring::Options& options, Problems& problems);

// The ways over a tree with the fewest links.
class Ways {
 public:
  using Path = std::vector<std::int32_t>;  // of edges

  Ways(std::size_t parts, std::span<const Edge> edges);

  // The edge by which each part is reached from `start`.
  std::vector<std::int32_t> arrivals(std::int32_t start) const;
  Path path(const std::vector<std::int32_t>& by, std::int32_t to) const;
  std::vector<std::int32_t> distances(std::int32_t start) const;  // in links, to each part

 private:
  std::vector<Edge> edges_;
  std::vector<std::vector<std::int32_t>> leaving_;  // by part
};

}  // namespace wt::platform
