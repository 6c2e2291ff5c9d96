#pragma once
// Disjoint sets of the numbers 0 to size - 1. The root of a set is its least number, so a pass over the
// numbers in ascending order meets the sets in the order of their first members. Paths are shortened by
// halving: Tarjan and van Leeuwen, "Worst-case Analysis of Set Union Algorithms", 1984.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace wt::simulate {

class UnionFind {
 public:
  explicit UnionFind(std::size_t size = 0) { reset(size); }

  void reset(std::size_t size) {  // makes each number a set
    parent_.resize(size);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::size_t size() const { return parent_.size(); }

  std::int32_t root(std::int32_t number) {
    while (parent(number) != number) number = parent(number) = parent(parent(number));
    return number;
  }
  void join(std::int32_t a, std::int32_t b) {
    const std::int32_t one = root(a), other = root(b);
    parent(std::max(one, other)) = std::min(one, other);
  }

 private:
  std::int32_t& parent(std::int32_t of) { return parent_[static_cast<std::size_t>(of)]; }

  std::vector<std::int32_t> parent_{};
};

}  // namespace wt::simulate
