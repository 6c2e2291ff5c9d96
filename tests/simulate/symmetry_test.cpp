// Claims: if one lane of a symmetric job is simulated for all lanes, the times of all are exact, whichever
// links they share; and a job without symmetry is left as it is.

#include "simulate/symmetry.h"

#include <gtest/gtest.h>

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

// Lanes 0, 1 and 2 share links in a chain instead of a ring, so only the middle one has two neighbours.
TEST(Symmetry, NeighboursInAChainAreNotAlike) {
  Job job;
  job.bandwidths = {10e9, 10e9, 10e9, 10e9};
  for (std::int32_t lane = 0; lane < 3; ++lane) job.add(job.flow(1e-6, 1 << 20, {{lane, lane + 1}}));
  EXPECT_FALSE(symmetry_of(job));
}

// In a ring they are alike. But each lane uses two links of one orbit, and the folded route would contain
// that orbit twice.
TEST(Symmetry, ARouteOverTwoLinksOfAnOrbitIsPlayedAsItIs) {
  Job job;
  job.bandwidths = {10e9, 10e9, 10e9};
  for (std::int32_t lane = 0; lane < 3; ++lane) job.add(job.flow(1e-6, 1 << 20, {{lane, (lane + 1) % 3}}));
  EXPECT_FALSE(symmetry_of(job));
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
