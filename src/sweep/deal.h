#pragma once
// Deals the points of a sweep out to the processes or ranks that compute them. Neighbours in a sweep have most of
// their work in common, which a process does once. So each taker begins with a stretch of neighbours, and one that
// has finished its own takes over the second half of the longest stretch that is left.

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace wt::sweep {

class Deal {
 public:
  Deal(std::span<const std::int64_t> numbers, std::size_t takers);

  // The next points of a taker, few at a time towards the end, so that all end together. Empty: none is left.
  std::vector<std::int64_t> next(std::size_t taker);

  // Points that a taker got and didn't compute. They are its next ones.
  void put_back(std::size_t taker, const std::deque<std::int64_t>& numbers);

 private:
  void take_over(std::deque<std::int64_t>& own);

  std::vector<std::deque<std::int64_t>> stretches_;  // of open points, by taker
};

}  // namespace wt::sweep
