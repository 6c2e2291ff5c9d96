// Switches of a tree add on the way up and multicast on the way down (Graham and others, "Scalable hierarchical
// aggregation protocol (SHARP)", 2016). Each leaf switch serves one group of ranks.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule sharp(const Request& request) {
  const std::vector<int> shape = request.ranks == 1 ? std::vector<int>{1} : shape_of(request, 2);
  const int n = request.ranks, size = shape.empty() ? n : shape[0], leaves = n / size;
  std::vector<int> parents;  // of ranks, then of leaf switches; a single leaf is the root itself
  for (int r = 0; r < n; ++r) parents.push_back(n + r / size);
  for (int leaf = 0; leaf < leaves; ++leaf) parents.push_back(leaves > 1 ? n + leaves : -1);
  if (leaves > 1) parents.push_back(-1);
  const Rule down = tree_broadcast(parents, 0);
  // A switch begins empty: the first of its children sets the sum.
  const Rule up = changed(reversed(down, Effect::reduce), [=](Move& move) {
    if (move.source < n ? move.source % size == 0 : move.source == n) move.effect = Effect::copy;
  });
  const int segments = request.options.segments;
  Schedule schedule =
      schedule_of(Operation::all_reduce, request, segments, pipelined(then(up, down), segments));
  schedule.contract.helpers = static_cast<int>(parents.size()) - n;
  return schedule;
}

}  // namespace wt::collective
