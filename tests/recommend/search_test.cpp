// Claims: the search finds what measuring every size finds, wherever it says that its answer is proven, and for
// all speeds that grow with size, or grow and then fall; and it measures few sizes where speed grows.

#include "recommend/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace wt::recommend {
namespace {

struct Case {
  std::vector<double> speeds{};
  std::vector<double> bounds{};
};

std::optional<int> exhaustive(const Case& of, double target) {
  for (std::size_t i = 0; i < of.speeds.size(); ++i)
    if (of.speeds[i] >= target) return static_cast<int>(i);
  return std::nullopt;
}

Found found(const Case& of, double target, int most_scanned = 1'000'000) {
  return search({.count = static_cast<int>(of.speeds.size()),
                 .target = target,
                 .bound = [&](int i) { return of.bounds.at(static_cast<std::size_t>(i)); },
                 .speed = [&](int i) { return of.speeds.at(static_cast<std::size_t>(i)); },
                 .most_scanned = most_scanned});
}

// Bounds as close above the speeds as a bound that never falls can be, and a random distance farther.
void add_bounds(Case& of, std::mt19937_64& random) {
  double most = 0;
  const double slack = 1 + std::uniform_real_distribution<>(0, 0.5)(random);
  for (const double speed : of.speeds) of.bounds.push_back((most = std::max(most, speed)) * slack);
}

Case growing(std::mt19937_64& random) {
  Case made;
  const int count = std::uniform_int_distribution<>(1, 300)(random);
  const double power = std::uniform_real_distribution<>(0.3, 1)(random);
  for (int i = 0; i < count; ++i) made.speeds.push_back(std::pow(i + 1, power));
  add_bounds(made, random);
  return made;
}

Case rising_and_falling(std::mt19937_64& random) {
  Case made;
  const int count = std::uniform_int_distribution<>(1, 3000)(random);
  const double peak = std::uniform_real_distribution<>(1, count)(random);
  for (int i = 0; i < count; ++i) made.speeds.push_back((i + 1) / (1 + std::pow((i + 1) / peak, 2)));
  add_bounds(made, random);
  return made;
}

Case erratic(std::mt19937_64& random) {
  Case made;
  const int count = std::uniform_int_distribution<>(1, 40)(random);
  for (int i = 0; i < count; ++i)
    made.speeds.push_back(std::uniform_real_distribution<>(-0.1, 1)(random) * (i + 1));
  add_bounds(made, random);
  return made;
}

double target_for(const Case& of, std::mt19937_64& random) {
  const double most = *std::max_element(of.speeds.begin(), of.speeds.end());
  return std::abs(most) * std::uniform_real_distribution<>(0.05, 1.05)(random) + 1e-9;
}

TEST(ASearch, FindsTheSmallestSizeWhereSpeedGrows) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Case of = growing(random);
    const double target = target_for(of, random);
    const Found got = found(of, target);
    ASSERT_EQ(got.smallest, exhaustive(of, target)) << i;
    EXPECT_TRUE(got.is_monotone);
    EXPECT_LE(got.measured.size(), 2 * std::log2(of.speeds.size()) + 4) << i;
  }
}

TEST(ASearch, FindsTheSmallestSizeWhereSpeedGrowsAndFalls) {
  std::mt19937_64 random(2);
  int fell = 0;
  for (int i = 0; i < 2000; ++i) {
    const Case of = rising_and_falling(random);
    const double target = target_for(of, random);
    const Found got = found(of, target, 48);  // fewer than there are sizes
    ASSERT_EQ(got.smallest, exhaustive(of, target)) << i;
    fell += got.is_monotone ? 0 : 1;
  }
  EXPECT_GT(fell, 50);
}

TEST(ASearch, IsRightWhereverItSaysSo) {
  std::mt19937_64 random(3);
  int proven = 0, open = 0;
  for (int i = 0; i < 4000; ++i) {
    const Case of = erratic(random);
    const double target = target_for(of, random);
    const Found got = found(of, target, i % 2 == 0 ? 1'000'000 : 3);
    if (got.smallest) {
      EXPECT_GE(of.speeds[static_cast<std::size_t>(*got.smallest)], target);
    }
    (got.is_proven ? proven : open) += 1;
    if (got.is_proven) {
      ASSERT_EQ(got.smallest, exhaustive(of, target)) << i;
    }
    if (!got.is_monotone && i % 2 == 0) {
      EXPECT_TRUE(got.is_proven) << i;
    }
  }
  EXPECT_GT(proven, 1000);
  EXPECT_GT(open, 100);
}

TEST(ASearch, MeasuresOnlyTheLargestSizeIfTheBoundExcludesAll) {
  const Case of{{1, 2, 3}, {1.5, 2.5, 3.5}};
  const Found got = found(of, 4);
  EXPECT_FALSE(got.smallest);
  EXPECT_TRUE(got.is_proven);
  EXPECT_EQ(got.fastest(), 2);
  EXPECT_EQ(got.measured.size(), 1U);
}

TEST(ASearch, HasNoAnswerWithoutSizesOrIfNoneCanBeUsed) {
  EXPECT_FALSE(found({}, 1).smallest);
  const Found unusable = found({{-1, -1}, {2, 2}}, 1);
  EXPECT_FALSE(unusable.smallest);
  EXPECT_FALSE(unusable.fastest());
}

}  // namespace
}  // namespace wt::recommend
