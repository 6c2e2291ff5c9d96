#pragma once
// Rules that several algorithms are made of. Ranks are 0 to n - 1, and rank r owns chunk r, unless `whole`
// names the chunks that are moved as one. An all-gather in reverse is a reduce-scatter, and a broadcast a
// reduction (rule.h).

#include "collective/rule.h"

namespace wt::collective {

Rule ring_reduce_scatter(int n);
Rule ring_all_gather(int n);
Rule direct_all_gather(int n);
Rule bruck_all_gather(int n);
Rule pat_all_gather(int n);
Rule doubling_all_gather(int n);                      // Requires: n is a power of two.
Rule swing_all_gather(int n);                         // Requires: n is even.
Rule recursive_doubling(int n, const Chunks& whole);  // An all-reduce. Requires: n is a power of two.
// Broadcasts from rank 0.
Rule flat_broadcast(int n, const Chunks& whole);
Rule binomial_broadcast(int n, const Chunks& whole);
// A broadcast along a tree, level by level. The tree is given by the parent of each rank, which is -1 for the
// root.
Rule tree_broadcast(const std::vector<int>& parents, const Chunks& whole);
std::vector<int> depths_of(const std::vector<int>& parents);  // the distance of each rank from the root
std::vector<int> chain_parents(int n);                        // of the chain 0, 1, ..., n - 1
// The parents in tree 0 or 1 of the double binary tree. Every rank is a leaf of at least one of the two.
std::vector<int> double_tree_parents(int n, int tree);
Rule double_tree(int n, int segments);  // an all-reduce with 2 * segments chunks

// Extends a rule that needs a power of two: the ranks beyond the largest one first give their values to the
// first ranks, and get the result at the end.
Rule with_ranks_beyond(int n, const Chunks& whole, Rule rule);
int power_of_two_in(int n);  // the largest power of two that is at most n
int doublings_to(int n);     // log2(n), rounded up

// The `count` ranks first, first + stride, ...
std::vector<int> every(int first, int stride, int count);
// The ranks root, root + 1, ... modulo n, so that among(rotated(n, root), rule) has `root` in the place of
// rank 0.
std::vector<int> rotated(int n, int root);

}  // namespace wt::collective
