#include <algorithm>

#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

std::vector<int> depths_of(const std::vector<int>& parents) {
  std::vector<int> depths;
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    int depth = 0;
    for (int up = parents[rank]; up >= 0; up = parents[static_cast<std::size_t>(up)]) ++depth;
    depths.push_back(depth);
  }
  return depths;
}

}  // namespace

Rule tree_broadcast(const std::vector<int>& parents, const Chunks& whole) {
  const std::vector<int> depths = depths_of(parents);
  return {*std::max_element(depths.begin(), depths.end()), [=](int round, Round& moves) {
            for (std::size_t rank = 0; rank < parents.size(); ++rank)
              if (depths[rank] == round + 1) moves.copy(parents[rank], static_cast<int>(rank), whole);
          }};
}

std::vector<int> chain_parents(int n) { return every(-1, 1, n); }

}  // namespace wt::collective
