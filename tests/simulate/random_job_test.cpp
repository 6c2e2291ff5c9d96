// Claim: on 200 random jobs, SimGrid's dates are those of a simulator that was written for this test and knows
// nothing but the definition of max-min fairness.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "simulate/play.h"

namespace wt::simulate {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Rates by progressive filling: all grow together; where a link is full, its flows stop growing. Bertsekas and
// Gallager, Data Networks, 1992, section 6.5.2.
std::vector<double> fair_rates(const Job& job, const std::vector<std::size_t>& flows) {
  std::vector<double> rates(flows.size(), -1), free = job.bandwidths;
  for (std::size_t settled = 0; settled < flows.size();) {
    std::vector<int> growing(free.size(), 0);
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      if (rates[flow] < 0)
        for (const std::int32_t link : job.route_of(job.activities[flows[flow]])) ++growing[link];
    std::size_t narrowest = 0;
    double least = never;
    for (std::size_t link = 0; link < free.size(); ++link)
      if (growing[link] > 0 && free[link] / growing[link] < least)
        least = free[narrowest = link] / growing[link];
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      const auto route = job.route_of(job.activities[flows[flow]]);
      if (rates[flow] >= 0 || std::ranges::find(route, static_cast<std::int32_t>(narrowest)) == route.end())
        continue;
      rates[flow] = least;
      ++settled;
      for (const std::int32_t link : route) free[link] -= least;
    }
  }
  return rates;
}

// Advances everything from one event to the next, all rates computed anew each time.
class BruteForce {
 public:
  explicit BruteForce(const Job& job)
      : job_(job), state_(job.activities.size()), delay_(state_.size()), left_(delay_) {
    outcome_.activities.resize(state_.size());
    outcome_.links.resize(job.bandwidths.size());
  }

  Outcome play() {
    start_what_is_ready();
    while (advance()) start_what_is_ready();
    outcome_.end = now_;
    return outcome_;
  }

 private:
  enum State { waiting, delayed, flowing, done };

  void start_what_is_ready() {
    for (std::size_t id = 0; id < state_.size(); ++id) {
      if (state_[id] != waiting) continue;
      const auto waits = job_.waits_of(id);
      if (!std::ranges::all_of(waits, [&](std::int32_t other) { return state_[other] == done; })) continue;
      state_[id] = delayed;
      outcome_.activities[id].start = now_;
      delay_[id] = job_.activities[id].delay;
      left_[id] = job_.flows(job_.activities[id]) ? static_cast<double>(job_.activities[id].bytes) : 0;
    }
  }

  bool advance() {
    std::vector<std::size_t> flows;
    for (std::size_t id = 0; id < state_.size(); ++id)
      if (state_[id] == flowing) flows.push_back(id);
    const std::vector<double> rates = fair_rates(job_, flows);
    std::vector<double> needs(state_.size(), never);
    for (std::size_t id = 0; id < state_.size(); ++id)
      if (state_[id] == delayed) needs[id] = delay_[id];
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      needs[flows[flow]] = left_[flows[flow]] / rates[flow];
    const double step = needs.empty() ? never : *std::ranges::min_element(needs);
    if (step == never) return false;
    load_links(flows, step);
    now_ += step;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) left_[flows[flow]] -= rates[flow] * step;
    for (std::size_t id = 0; id < state_.size(); ++id) settle(id, needs[id], step);
    return true;
  }

  void settle(std::size_t id, double needs, double step) {
    if (state_[id] == delayed) delay_[id] -= step;
    if (needs > step * (1 + 1e-14)) return;
    state_[id] = state_[id] == delayed && left_[id] > 0 ? flowing : done;
    if (state_[id] == done) outcome_.activities[id].end = now_;
  }

  void load_links(const std::vector<std::size_t>& flows, double step) {
    std::vector<bool> busy(job_.bandwidths.size());
    for (const std::size_t flow : flows)
      for (const std::int32_t link : job_.route_of(job_.activities[flow])) busy[link] = true;
    for (std::size_t link = 0; link < busy.size(); ++link)
      if (busy[link]) outcome_.links[link].busy += step;
  }

  const Job& job_;
  std::vector<State> state_;
  std::vector<double> delay_, left_;
  double now_ = 0;
  Outcome outcome_{};
};

class Dice {
 public:
  explicit Dice(int seed) : stream_(stream_of({seed, 0})) {}
  std::int32_t below(std::int32_t count) { return static_cast<std::int32_t>(next() % count); }
  double fraction() { return next() / 4294967296.0; }

 private:
  std::uint32_t next() {
    std::array<std::uint32_t, 1> word{};
    fill_words(word, {stream_.block(drawn_++), stream_.key});
    return word[0];
  }
  PhiloxStream stream_;
  std::uint64_t drawn_ = 0;
};

std::vector<std::int32_t> random_route(Dice& dice, std::int32_t first_link, std::int32_t links) {
  std::vector<std::int32_t> route;
  for (std::int32_t hops = 1 + dice.below(3); hops > 0; --hops) {
    const std::int32_t link = first_link + dice.below(links);
    if (std::ranges::find(route, link) == route.end()) route.push_back(link);
  }
  return route;
}

// Sizes, latencies and dates coincide often, as they do in schedules. Links and activities that are there already are
// left alone.
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
    if (dice.below(5) == 0)
      job.add({.delay = delay}, waits);
    else
      job.add(job.flow(delay, bytes, random_route(dice, first_link, links)), waits);
  }
}

Job random_job(int seed) {
  Dice dice(seed);
  Job job;
  add_random(job, dice, 3 + dice.below(58));
  return job;
}

// Flows of different sizes that begin together on few links.
void add_knot(Job& job, Dice& dice) {
  const auto first_link = static_cast<std::int32_t>(job.bandwidths.size());
  for (int link = 0; link < 3; ++link) job.bandwidths.push_back(1e9 + 400e9 * dice.fraction());
  for (int flow = 0; flow < 5; ++flow)
    job.add(job.flow(5e-6, 1 + dice.below(4 << 20), random_route(dice, first_link, 3)));
}

// A job a few times over, on links of their own, and a few flows that cross all of them.
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
    const Outcome folded = play(job, Server::of_this_process());
    const Outcome expanded = play(job, Server::of_this_process(), Folding::expanded);
    expect_same(folded, wanted, 1e-9, seed);
    expect_same(expanded, folded, 1e-9, seed);
    add_to(effort, folded.effort);
  }
  return effort;
}

// Also: every way of playing a flow was taken, often.
TEST(RandomJobs, EndWhenABruteForceSimulatorSaysSo) {
  const Effort effort = compare_with_brute_force(random_job);
  EXPECT_GT(effort.alone, 500);
  EXPECT_GT(effort.shared, 500);
  EXPECT_GT(effort.overtaken, 300);
}

TEST(RandomJobs, OfEqualComponentsEndWhenABruteForceSimulatorSaysSo) {
  const Effort effort = compare_with_brute_force(repeated_job);
  EXPECT_GT(effort.following, 500);
  EXPECT_GT(effort.overtaken, 300);
}

TEST(RandomJobs, NoLinkCarriesMoreThanItsCapacity) {
  for (int seed = 200; seed < 220; ++seed) {
    const Job job = random_job(seed);
    const Outcome outcome = play(job, Server::of_this_process());
    for (std::size_t link = 0; link < job.bandwidths.size(); ++link)
      EXPECT_LE(static_cast<double>(outcome.links[link].carried),
                outcome.links[link].busy * job.bandwidths[link] * (1 + 1e-9))
          << seed << ": " << link;
  }
}

}  // namespace
}  // namespace wt::simulate
