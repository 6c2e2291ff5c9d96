#include "sweep/deal.h"

#include <algorithm>

namespace wt::sweep {

Deal::Deal(std::span<const std::int64_t> numbers, std::size_t takers) : stretches_(takers) {
  for (std::size_t i = 0; i < takers; ++i) {
    const std::size_t begin = numbers.size() * i / takers, end = numbers.size() * (i + 1) / takers;
    const auto stretch = numbers.subspan(begin, end - begin);
    stretches_[i].assign(stretch.begin(), stretch.end());
  }
}

std::vector<std::int64_t> Deal::next(std::size_t taker) {
  constexpr std::size_t most = 16;
  std::deque<std::int64_t>& own = stretches_[taker];
  if (own.empty()) take_over(own);
  const std::size_t count = std::min(own.size(), std::clamp<std::size_t>(own.size() / 4, 1, most));
  const auto end = own.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<std::int64_t> numbers(own.begin(), end);
  own.erase(own.begin(), end);
  return numbers;
}

void Deal::put_back(std::size_t taker, const std::deque<std::int64_t>& numbers) {
  stretches_[taker].insert(stretches_[taker].begin(), numbers.begin(), numbers.end());
}

void Deal::take_over(std::deque<std::int64_t>& own) {
  std::deque<std::int64_t>& longest =
      *std::ranges::max_element(stretches_, {}, &std::deque<std::int64_t>::size);
  const auto middle = longest.begin() + static_cast<std::ptrdiff_t>(longest.size() / 2);
  own.assign(middle, longest.end());
  longest.erase(middle, longest.end());
}

}  // namespace wt::sweep
