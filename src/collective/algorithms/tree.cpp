// Broadcasts along trees that are given by the parent of each rank.
#include "base/narrow.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

std::vector<int> depths_of(const std::vector<int>& parents) {
  std::vector<int> depths(parents.size(), -1), way;
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    int at = static_cast<int>(rank), depth = -1;
    for (; at >= 0 && depths[static_cast<std::size_t>(at)] < 0; at = parents[static_cast<std::size_t>(at)])
      way.push_back(at);
    if (at >= 0) depth = depths[static_cast<std::size_t>(at)];
    for (; !way.empty(); way.pop_back()) depths[static_cast<std::size_t>(way.back())] = ++depth;
  }
  return depths;
}

Rule tree_broadcast(const std::vector<int>& parents, const Chunks& whole) {
  const std::vector<int> depths = depths_of(parents);
  std::vector<std::vector<int>> levels(parents.size());
  for (std::size_t rank = 0; rank < parents.size(); ++rank)
    levels[static_cast<std::size_t>(depths[rank])].push_back(static_cast<int>(rank));
  while (levels.back().empty()) levels.pop_back();
  return {narrow<int>(levels.size()) - 1, [=](int round, Round& moves) {
            for (const int rank : levels[static_cast<std::size_t>(round) + 1])
              moves.copy(parents[static_cast<std::size_t>(rank)], rank, whole);
          }};
}

std::vector<int> chain_parents(int n) { return every(-1, 1, n); }

}  // namespace wt::collective
