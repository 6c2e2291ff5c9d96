// Claims: if one activity of each class is simulated for all, the times of all are exact, whichever links they
// share; and a job of which too little is alike is left as it is.

#include "simulate/symmetry.h"

#include <gtest/gtest.h>

#include <array>

#include "simulate/brute_force.h"
#include "simulate/play.h"

namespace wt::simulate {
namespace {

Outcome played(const Job& job, Folding folding) { return play(job, folding); }

void expect_equal(const Outcome& folded, const Outcome& expanded, int seed = 0) {
  ASSERT_EQ(folded.activities.size(), expanded.activities.size());
  for (std::size_t id = 0; id < expanded.activities.size(); ++id) {
    EXPECT_NEAR(folded.activities[id].start, expanded.activities[id].start, 1e-9 * expanded.end) << seed;
    EXPECT_NEAR(folded.activities[id].end, expanded.activities[id].end, 1e-9 * expanded.end) << seed;
  }
  for (std::size_t link = 0; link < expanded.links.size(); ++link) {
    EXPECT_EQ(folded.links[link].carried, expanded.links[link].carried) << seed << ": " << link;
    EXPECT_NEAR(folded.links[link].busy, expanded.links[link].busy, 1e-9 * expanded.end)
        << seed << ": " << link;
  }
}

// The links of a symmetric job, as the parts of a wheel: where lane 0 uses spoke s, lane l uses spoke s + l.
// All lanes share the axle, and two opposite lanes share a link for their pair.
struct Wheel {
  std::int32_t lanes = 1;
  std::int32_t rims = 1;  // each with a spoke for every lane

  std::int32_t spoke(std::int32_t rim, std::int32_t at) const { return rim * lanes + at % lanes; }
  std::int32_t pair(std::int32_t lane) const { return rims * lanes + lane % (lanes / 2); }
  std::int32_t axle() const { return rims * lanes + lanes / 2; }
  std::vector<double> bandwidths(Dice& dice) const {
    std::vector<double> all;
    for (std::int32_t rim = 0; rim < rims; ++rim)
      all.insert(all.end(), static_cast<std::size_t>(lanes), 1e9 + 400e9 * dice.fraction());
    all.insert(all.end(), static_cast<std::size_t>(lanes / 2), 40e9);
    all.push_back(100e9);
    return all;
  }
};

Job wheel_job(int seed, const Wheel& wheel) {
  Dice dice(seed);
  Job job;
  job.bandwidths = wheel.bandwidths(dice);
  const int count = 4 + dice.below(12);
  std::vector<std::vector<std::int32_t>> ids(static_cast<std::size_t>(wheel.lanes));
  for (int i = 0; i < count; ++i) {
    const double delay = dice.below(2) == 0 ? 5e-6 : 2e-5 * dice.fraction();
    const std::int64_t bytes = 1 + dice.below(4 << 20);
    const std::int32_t first = dice.below(wheel.lanes), second = dice.below(wheel.lanes);
    const int shared = dice.below(4), waits = i == 0 ? 0 : dice.below(i);
    for (std::int32_t lane = 0; lane < wheel.lanes; ++lane) {
      std::vector<std::int32_t> route{wheel.spoke(0, first + lane)};
      if (wheel.rims > 1) route.push_back(wheel.spoke(1, second + lane));
      if (shared == 1) route.push_back(wheel.pair(lane));
      if (shared == 2) route.push_back(wheel.axle());
      auto& own = ids[static_cast<std::size_t>(lane)];
      std::vector<std::int32_t> after;
      if (i > 0) after.push_back(own[static_cast<std::size_t>(waits)]);
      own.push_back(job.add(job.flow(delay, bytes, route), after));
    }
  }
  return job;
}

TEST(Symmetry, OneLaneIsPlayedForAllWhateverLinksTheyShare) {
  for (int seed = 0; seed < 60; ++seed) {
    const Wheel wheel{.lanes = 2 + 2 * (seed % 4), .rims = 1 + seed % 2};
    const Job job = wheel_job(seed, wheel);
    const auto symmetry = symmetry_of(job);
    ASSERT_TRUE(symmetry) << seed;
    EXPECT_EQ(symmetry->job.activities.size() * static_cast<std::size_t>(wheel.lanes), job.activities.size())
        << seed;
    expect_equal(played(job, Folding::folded), played(job, Folding::expanded), seed);
  }
}

TEST(Symmetry, ASlowerLinkOrALaterStartOrAnotherSizeBreaksIt) {
  const Wheel wheel{.lanes = 4, .rims = 2};
  const Job whole = wheel_job(3, wheel);
  ASSERT_TRUE(symmetry_of(whole));
  Job slower = whole;
  slower.bandwidths[static_cast<std::size_t>(slower.route_of(slower.activities[1])[0])] /= 2;
  EXPECT_FALSE(symmetry_of(slower));
  expect_equal(played(slower, Folding::folded), played(slower, Folding::expanded));
  Job later = whole;
  later.activities[0].delay += 1e-6;
  EXPECT_FALSE(symmetry_of(later));
  Job larger = whole;
  ++larger.activities.back().bytes;
  EXPECT_FALSE(symmetry_of(larger));
}

// Flows that share links in a chain are alike with those at the same distance from its middle. Of three, that
// would save one.
TEST(Symmetry, NeighboursInAChainAreNotAlike) {
  const auto chain = [](std::int32_t flows) {
    Job job;
    job.bandwidths.assign(static_cast<std::size_t>(flows) + 1, 10e9);
    for (std::int32_t flow = 0; flow < flows; ++flow) job.add(job.flow(1e-6, 1 << 20, {{flow, flow + 1}}));
    return job;
  };
  EXPECT_FALSE(symmetry_of(chain(3)));
  const auto six = symmetry_of(chain(6));
  ASSERT_TRUE(six);
  EXPECT_EQ(six->job.activities.size(), 3u);
  expect_equal(played(chain(6), Folding::folded), played(chain(6), Folding::expanded));
}

// Each flow uses two links of the one class, so the only flow of the reduced job takes its rate twice there.
TEST(Symmetry, ARouteMayUseSeveralLinksOfAClass) {
  Job job;
  job.bandwidths = {10e9, 10e9, 10e9};
  for (std::int32_t lane = 0; lane < 3; ++lane) job.add(job.flow(1e-6, 1 << 20, {{lane, (lane + 1) % 3}}));
  const auto symmetry = symmetry_of(job);
  ASSERT_TRUE(symmetry);
  EXPECT_EQ(symmetry->job.activities.size(), 1u);
  expect_equal(played(job, Folding::folded), played(job, Folding::expanded));
}

// Two classes of flows meet on a link, 2 of one and 3 of the other: no number divides both.
TEST(Symmetry, ClassesMayMeetInAnyNumbers) {
  Job job;
  job.bandwidths = {10e9, 100e9};
  for (int i = 0; i < 2; ++i) job.add(job.flow(1e-6, 1 << 20, {{0}}));
  for (int i = 0; i < 3; ++i) job.add(job.flow(1e-6, 3 << 20, {{0, 1}}));
  const auto symmetry = symmetry_of(job);
  ASSERT_TRUE(symmetry);
  EXPECT_EQ(symmetry->job.activities.size(), 2u);
  EXPECT_EQ(symmetry->multiplicity, (std::vector<std::int32_t>{1, 3}));
  const Outcome outcome = played(job, Folding::folded);
  expect_equal(outcome, played(job, Folding::expanded));
  EXPECT_NEAR(outcome.end, BruteForce(job).play().end, 1e-12);
}

// A random job in which every activity stands for twelve: those of an activity wait for those of another one
// in random pairs, and a link has one, two, or up to twelve copies, among which the twelve are dealt out.
Job cover_of_a_random_job(int seed, int activities) {
  constexpr std::int32_t copies = 12;
  Dice dice(seed);
  const auto shuffled = [&] {
    std::vector<std::int32_t> order(copies);
    for (std::int32_t i = 0; i < copies; ++i) order[static_cast<std::size_t>(i)] = i;
    for (std::int32_t i = copies; i-- > 1;)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(dice.below(i + 1))]);
    return order;
  };
  Job job;
  std::vector<std::pair<std::int32_t, std::int32_t>> links;  // the first copy, and their number
  for (int i = 0; i < 5; ++i) {
    const std::int32_t count = std::array{1, 2, 3, 4, 6, 12}[static_cast<std::size_t>(dice.below(6))];
    links.emplace_back(static_cast<std::int32_t>(job.bandwidths.size()), count);
    job.bandwidths.insert(job.bandwidths.end(), static_cast<std::size_t>(count),
                          1e9 + 50e9 * dice.fraction());
  }
  for (int i = 0; i < activities; ++i) {
    const double delay = 1e-5 * dice.below(4);
    const std::int64_t bytes = 1 + dice.below(4 << 20);
    const int one = dice.below(5), other = dice.below(5), waits = i == 0 ? -1 : dice.below(i + 1) - 1;
    const int behind = i == 0 ? -1 : dice.below(2 * i) - i;
    const auto first = shuffled(), second = shuffled(), after = shuffled(), ahead = shuffled();
    for (std::size_t copy = 0; copy < copies; ++copy) {
      const auto link = [&](int number, std::int32_t place) {
        const auto& [begin, count] = links[static_cast<std::size_t>(number)];
        return begin + place % count;
      };
      std::vector<std::int32_t> route{link(one, first[copy])}, waited;
      if (other != one) route.push_back(link(other, second[copy]));
      if (waits >= 0) waited.push_back(waits * copies + after[copy]);
      Activity flow = job.flow(delay, bytes, route);
      if (behind >= 0) flow.behind = behind * copies + ahead[copy];
      job.add(flow, waited);
    }
  }
  return job;
}

TEST(Symmetry, OneOfTwelveIsPlayedForAllWhateverTheyShare) {
  for (int seed = 0; seed < 60; ++seed) {
    const Job job = cover_of_a_random_job(seed, 4 + seed % 9);
    const auto symmetry = symmetry_of(job);
    ASSERT_TRUE(symmetry) << seed;
    EXPECT_LE(12 * symmetry->job.activities.size(), job.activities.size()) << seed;
    expect_equal(played(job, Folding::folded), played(job, Folding::expanded), seed);
  }
}

TEST(Symmetry, OnePartIsPlayedAsItIs) {
  Job job;
  job.bandwidths = {10e9};
  const std::int32_t first = job.add(job.flow(1e-6, 1 << 20, {{0}}));
  job.add(job.flow(1e-6, 1 << 20, {{0}}), {{first}});
  EXPECT_FALSE(symmetry_of(job));
  EXPECT_FALSE(symmetry_of(Job{}));
}

}  // namespace
}  // namespace wt::simulate
