// Two binary trees with half of the vector each. A rank that is an inner node of one tree is a leaf of the
// other, so every rank sends and receives about two vectors in an all-reduce (Sanders, Speck and Traeff,
// "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009). The shapes of the trees are
// NCCL's (src/graph/trees.cc).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// The level of a rank above the leaves is the number of its lowest bit that is set.
int parent_in_first_tree(int rank, int n) {
  if (rank == 0) return -1;
  const int bit = rank & -rank;
  const int up = (rank ^ bit) | (bit << 1);
  return up < n ? up : rank ^ bit;
}

// The mirror image of the first tree. For an odd number of ranks, where the middle rank would be an inner
// node of both trees, it is instead the first tree shifted by one rank.
int parent_in_second_tree(int rank, int n) {
  if (n % 2 == 0) {
    const int up = parent_in_first_tree(n - 1 - rank, n);
    return up < 0 ? -1 : n - 1 - up;
  }
  const int up = parent_in_first_tree(modulo(rank - 1, n), n);
  return up < 0 ? -1 : (up + 1) % n;
}

}  // namespace

std::vector<int> double_tree_parents(int n, int tree) {
  std::vector<int> parents;
  for (int r = 0; r < n; ++r)
    parents.push_back(tree == 0 ? parent_in_first_tree(r, n) : parent_in_second_tree(r, n));
  return parents;
}

Rule double_tree(int n, int segments) {
  std::vector<Rule> trees;
  for (const int tree : {0, 1}) {
    const Rule broadcast = tree_broadcast(double_tree_parents(n, tree), 0);
    const Rule all_reduce = then(reversed(broadcast, Effect::reduce), broadcast);
    trees.push_back(on_chunks(std::int64_t{tree} * segments, pipelined(all_reduce, segments)));
  }
  return together(std::move(trees));
}

Schedule double_binary_tree(const Request& request) {
  const int segments = request.options.segments;
  return schedule_of(Operation::all_reduce, request, std::int64_t{2} * segments,
                     double_tree(request.ranks, segments));
}

}  // namespace wt::collective
