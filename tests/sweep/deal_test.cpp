#include "sweep/deal.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace wt::sweep {
namespace {

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Takers of very different speeds, in a random order, some of which lose what they have got.
TEST(Deal, EveryPointIsDealtOnceWhoeverIsFaster) {
  std::mt19937 random(7);
  for (const std::int64_t points : {0, 1, 2, 7, 100, 1000})
    for (const std::size_t takers : {1U, 2U, 3U, 40U}) {
      Deal deal(first_numbers(points), takers);
      std::vector<int> times(static_cast<std::size_t>(points));
      std::size_t idle = 0;  // turns in a row without a point
      while (idle < 20 * takers) {
        const std::size_t taker = std::min(random() % takers, random() % takers);
        const std::vector<std::int64_t> got = deal.next(taker);
        idle = got.empty() ? idle + 1 : 0;
        if (random() % 5 == 0) {
          deal.put_back(taker, {got.begin(), got.end()});
          continue;
        }
        for (const std::int64_t number : got) ++times[static_cast<std::size_t>(number)];
      }
      EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(points), 1)) << points << " for " << takers;
    }
}

TEST(Deal, ATakerWhoIsAsFastAsTheOthersGetsNeighbours) {
  Deal deal(first_numbers(1000), 4);
  std::vector<std::set<std::int64_t>> got(4);
  for (bool is_open = true; is_open;) {
    is_open = false;
    for (std::size_t taker = 0; taker < 4; ++taker)
      for (const std::int64_t number : deal.next(taker)) is_open = got[taker].insert(number).second;
  }
  for (std::size_t taker = 0; taker < 4; ++taker) {
    EXPECT_EQ(got[taker].size(), 250U);
    EXPECT_EQ(*got[taker].rbegin() - *got[taker].begin(), 249);
  }
}

TEST(Deal, NoneIsLeftAloneWithALongStretchAtTheEnd) {
  Deal deal(first_numbers(1000), 2);
  std::size_t largest = 0, dealt = 0;
  for (std::vector<std::int64_t> got = deal.next(1); !got.empty(); got = deal.next(1)) {
    dealt += got.size();
    largest = dealt > 990 ? std::max(largest, got.size()) : 0;
  }
  EXPECT_EQ(dealt, 1000U);  // the other never comes
  EXPECT_LE(largest, 3U);
}

}  // namespace
}  // namespace wt::sweep
