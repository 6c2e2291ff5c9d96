#pragma once
// Sets of numbers that grow together. Each is known by its least number, so that what is listed in ascending
// order finds the sets in the order of their first members.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace wt::simulate {

class UnionFind {
 public:
  explicit UnionFind(std::size_t size = 0) { reset(size); }

  void reset(std::size_t size) {  // each number a set
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
