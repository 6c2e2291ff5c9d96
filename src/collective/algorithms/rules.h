#pragma once
// Rules that several algorithms are made of. Ranks are 0 to n - 1, chunk r is rank r's.

#include "collective/rule.h"

namespace wt::collective {

Rule ring_reduce_scatter(int n);
Rule ring_all_gather(int n);
Rule direct_all_gather(int n);
Rule bruck_all_gather(int n);
Rule pat_all_gather(int n);
Rule doubling_all_gather(int n);                      // n a power of two
Rule swing_all_gather(int n);                         // n even
Rule recursive_doubling(int n, const Chunks& whole);  // an all-reduce; n a power of two
// From rank 0.
Rule flat_broadcast(int n, const Chunks& whole);
Rule binomial_broadcast(int n, const Chunks& whole);
// Down a tree that is told by each rank's parent (-1: the root), level by level.
Rule tree_broadcast(const std::vector<int>& parents, const Chunks& whole);
std::vector<int> depths_of(const std::vector<int>& parents);  // steps from the root
std::vector<int> chain_parents(int n);
// The two trees of n ranks; a rank is a leaf in one at least.
std::vector<int> double_tree_parents(int n, int tree);
Rule double_tree(int n, int segments);  // an all-reduce of 2 * segments chunks

// For rules that want a power of two: the ranks beyond give their values to the first ones, and get the result.
Rule with_ranks_beyond(int n, const Chunks& whole, Rule rule);
int power_of_two_in(int n);  // the largest that fits
int doublings_to(int n);     // of 1, until there are n or more

// Ranks first, first + stride, ...
std::vector<int> every(int first, int stride, int count);
// Rank 0 becomes `root`, and so on around.
std::vector<int> rotated(int n, int root);

}  // namespace wt::collective
