#pragma once
// The two steps of Wiring's constructor: wire_tree makes parts and links from the description of a machine,
// and find_routes finds the routes over them. Only the files wiring*.cpp include this header.

#include "platform/wiring.h"

namespace wt::platform {

constexpr std::int32_t no_part = -1;  // also: no edge

constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// The place of number `index` of `count` items that are distributed evenly, in order, over `places` places:
// of 4 devices on 2 switches, devices 0 and 1 are on switch 0.
constexpr std::int32_t dealt(std::int32_t index, std::int32_t count, std::int32_t places) {
  return static_cast<std::int32_t>(std::int64_t{index} * places / count);
}

// Makes the devices, hosts, NICs and chips and the PCIe tree that joins them. False if there was a problem.
bool wire_tree(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
               Problems& problems);

// Adds NVLinks and xGMI links, determines the near NIC of each device and host, and stores all routes.
// Requires: the tree joins all parts.
void find_routes(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
                 Problems& problems);

// Paths with the fewest links, by breadth-first search. Of equally long paths the one over the edges that
// were added first is found.
class Ways {
 public:
  using Path = std::vector<std::int32_t>;  // edges, from the start to the end

  Ways(std::size_t parts, std::span<const Edge> edges);

  // For each part the last edge of the path from `start` to it; no_part for `start` and for parts without a
  // path.
  std::vector<std::int32_t> arrivals(std::int32_t start) const;
  // The path to a part, from the arrivals `by` of its start.
  Path path(const std::vector<std::int32_t>& by, std::int32_t to) const;
  // The number of links of the path from `start` to each part; no_part: there is no path.
  std::vector<std::int32_t> distances(std::int32_t start) const;

 private:
  std::vector<Edge> edges_;
  std::vector<std::vector<std::int32_t>> leaving_;  // for each part the edges that leave it
};

}  // namespace wt::platform
