// Claim: on random jobs, the times are those of a brute-force simulator, however the flows are simulated.

#include <gtest/gtest.h>

#include "simulate/brute_force.h"
#include "simulate/play.h"

namespace wt::simulate {
namespace {

std::vector<std::int32_t> random_route(Dice& dice, std::int32_t first_link, std::int32_t links) {
  std::vector<std::int32_t> route;
  for (std::int32_t hops = 1 + dice.below(3); hops > 0; --hops) {
    const std::int32_t link = first_link + dice.below(links);
    if (std::ranges::find(route, link) == route.end()) route.push_back(link);
  }
  return route;
}

// Adds random activities on links of their own to a job. Sizes, latencies and times coincide often, as they
// do in schedules.
void add_random(Job& job, Dice& dice, std::int32_t count) {
  const auto first_link = static_cast<std::int32_t>(job.bandwidths.size()), links = 2 + dice.below(9);
  const auto first = static_cast<std::int32_t>(job.activities.size());
  for (std::int32_t link = 0; link < links; ++link)
    job.bandwidths.push_back(dice.below(2) == 0 ? 25e9 : 1e9 + 400e9 * dice.fraction());
  for (std::int32_t id = 0; id < count; ++id) {
    std::vector<std::int32_t> waits;
    for (std::int32_t tries = id == 0 ? 0 : dice.below(4); tries > 0; --tries)
      waits.push_back(first + dice.below(id));
    std::ranges::sort(waits);
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    const double delay = dice.below(3) == 0 ? 0 : dice.below(2) == 0 ? 5e-6 : 2e-5 * dice.fraction();
    const std::int64_t bytes = dice.below(8) == 0   ? 0
                               : dice.below(2) == 0 ? 1 << 20
                                                    : 1 + dice.below(4 << 20);
    Activity activity = dice.below(5) == 0 ? Activity{.delay = delay}
                                           : job.flow(delay, bytes, random_route(dice, first_link, links));
    if (id > 0 && dice.below(4) == 0) activity.behind = first + dice.below(id);
    job.add(activity, waits);
  }
}

Job random_job(int seed) {
  Dice dice(seed);
  Job job;
  add_random(job, dice, 3 + dice.below(58));
  return job;
}

// Adds flows of different sizes that begin together on few links.
void add_knot(Job& job, Dice& dice) {
  const auto first_link = static_cast<std::int32_t>(job.bandwidths.size());
  for (int link = 0; link < 3; ++link) job.bandwidths.push_back(1e9 + 400e9 * dice.fraction());
  for (int flow = 0; flow < 5; ++flow)
    job.add(job.flow(5e-6, 1 + dice.below(4 << 20), random_route(dice, first_link, 3)));
}

// Several copies of a job, each on links of its own, and a few flows that use the links of all copies.
Job repeated_job(int seed) {
  Job job;
  Dice choices(10'000 + seed);
  const std::int32_t copies = 2 + choices.below(4), count = 1 + choices.below(8);
  for (std::int32_t copy = 0; copy < copies; ++copy) {
    Dice same(seed);
    add_knot(job, same);
    add_random(job, same, count);
  }
  for (std::int32_t disturbances = choices.below(4); disturbances > 0; --disturbances)
    job.add(job.flow(2e-4 * choices.fraction(), 1 + choices.below(1 << 20),
                     random_route(choices, 0, static_cast<std::int32_t>(job.bandwidths.size()))));
  return job;
}

void expect_same(const Outcome& found, const Outcome& wanted, double tolerance, int seed) {
  for (std::size_t id = 0; id < wanted.activities.size(); ++id) {
    EXPECT_NEAR(found.activities[id].start, wanted.activities[id].start, tolerance * wanted.end)
        << seed << ": " << id;
    EXPECT_NEAR(found.activities[id].end, wanted.activities[id].end, tolerance * wanted.activities[id].end)
        << seed << ": " << id;
  }
  for (std::size_t link = 0; link < wanted.links.size(); ++link)
    EXPECT_NEAR(found.links[link].busy, wanted.links[link].busy, tolerance * wanted.end)
        << seed << ": " << link;
}

void add_to(Effort& sum, const Effort& effort) {
  sum.alone += effort.alone;
  sum.following += effort.following;
  sum.shared += effort.shared;
  sum.overtaken += effort.overtaken;
}

Effort compare_with_brute_force(Job (*make)(int)) {
  Effort effort;
  for (int seed = 0; seed < 200; ++seed) {
    const Job job = make(seed);
    const Outcome wanted = BruteForce(job).play();
    const Outcome folded = play(job);
    const Outcome expanded = play(job, Folding::expanded);
    expect_same(folded, wanted, 1e-9, seed);
    expect_same(expanded, folded, 1e-9, seed);
    add_to(effort, folded.effort);
  }
  return effort;
}

// The counts show that every way to simulate a flow was used often.
TEST(RandomJobs, EndAtTheTimesOfABruteForceSimulator) {
  const Effort effort = compare_with_brute_force(random_job);
  EXPECT_GT(effort.alone, 500);
  EXPECT_GT(effort.shared, 500);
  EXPECT_GT(effort.overtaken, 300);
}

TEST(RandomJobs, OfEqualComponentsEndAtTheTimesOfABruteForceSimulator) {
  const Effort effort = compare_with_brute_force(repeated_job);
  EXPECT_GT(effort.following, 500);
  EXPECT_GT(effort.overtaken, 300);
}

TEST(RandomJobs, NoLinkCarriesMoreThanItsCapacity) {
  for (int seed = 200; seed < 220; ++seed) {
    const Job job = random_job(seed);
    const Outcome outcome = play(job);
    for (std::size_t link = 0; link < job.bandwidths.size(); ++link)
      EXPECT_LE(static_cast<double>(outcome.links[link].carried),
                outcome.links[link].busy * job.bandwidths[link] * (1 + 1e-9))
          << seed << ": " << link;
  }
}

}  // namespace
}  // namespace wt::simulate
