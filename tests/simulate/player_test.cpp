// Claims: the simple laws of a network hold exactly, and the times of a flow don't depend on how it is
// simulated (by SimGrid, alone, or as the image of an equal flow).

#include "simulate/play.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace wt::simulate {
namespace {

constexpr double exactly = 1e-12;

// As it is, so that the player itself finds what is equal.
Outcome played(const Job& job, Folding folding = Folding::folded) { return play_whole(job, folding); }

// The outcome of the folded simulation, which must agree with that of the expanded one.
Outcome played_both_ways(const Job& job) {
  const Outcome folded = played(job), expanded = played(job, Folding::expanded);
  EXPECT_EQ(expanded.effort.alone + expanded.effort.overtaken, 0);
  for (std::size_t id = 0; id < job.activities.size(); ++id)
    EXPECT_NEAR(folded.activities[id].end, expanded.activities[id].end, exactly * folded.end) << id;
  for (std::size_t link = 0; link < job.bandwidths.size(); ++link) {
    EXPECT_EQ(folded.links[link].carried, expanded.links[link].carried);
    EXPECT_NEAR(folded.links[link].busy, expanded.links[link].busy, exactly * folded.end) << link;
  }
  return folded;
}

double end_of(const Outcome& outcome, std::int32_t id) {
  return outcome.activities[static_cast<std::size_t>(id)].end;
}

void expect_relative(double value, double wanted) { EXPECT_NEAR(value, wanted, exactly * wanted); }

TEST(Player, OneTransferIsItsLatencyAndItsBytesOverTheNarrowestLink) {
  for (const std::int64_t bytes :
       {std::int64_t{1}, std::int64_t{4096}, std::int64_t{1} << 30, std::int64_t{1} << 42}) {
    for (const double latency : {0.0, 3e-7, 2e-5}) {
      Job job;
      job.bandwidths = {300e9, 25e9, 450e9};
      job.add(job.flow(latency, bytes, {{0, 1, 2}}));
      const Outcome outcome = played_both_ways(job);
      expect_relative(end_of(outcome, 0), latency + static_cast<double>(bytes) / 25e9);
      EXPECT_EQ(outcome.activities[0].start, 0);
      EXPECT_EQ(outcome.links[2].carried, bytes);
      EXPECT_NEAR(outcome.links[2].busy, static_cast<double>(bytes) / 25e9, exactly * outcome.end);
    }
  }
}

TEST(Player, AFlowWithoutBytesOrWithoutRouteTakesItsLatency) {
  Job job;
  job.bandwidths = {1e9};
  job.add(job.flow(2e-6, 0, {{0}}));
  job.add(job.flow(3e-6, 1000, {}));
  const Outcome outcome = played(job);
  EXPECT_EQ(end_of(outcome, 0), 2e-6);
  EXPECT_EQ(end_of(outcome, 1), 3e-6);
  EXPECT_EQ(outcome.links[0].carried, 0);
  EXPECT_EQ(outcome.links[0].busy, 0);
}

// Unexpected arrivals set further timers, which are earlier than the ones that are already set.
TEST(Player, NoMoreTimersAreSetThanThereAreEvents) {
  Job job;
  job.bandwidths = {50e9, 40e9};
  for (std::int32_t id = 0; id < 400; ++id)
    job.add(job.flow(1e-7 * id, 1'000'000 + 1000 * id, {{0, 1}}),
            id < 8 ? std::vector<std::int32_t>{} : std::vector<std::int32_t>{id - 8});
  const Outcome outcome = played(job);
  EXPECT_GT(outcome.effort.shared, 300);
  EXPECT_LE(outcome.effort.timers, 3 * std::ssize(job.activities));
}

TEST(Player, AnEmptyJobEndsAtOnce) { EXPECT_EQ(played(Job{}).end, 0); }

// SimGrid's default, which weights shares by latency, would give flows of low latency more.
TEST(Player, FlowsOnASharedLinkShareItExactlyWhateverTheirLatencies) {
  constexpr int flows = 10;
  Job job;
  job.bandwidths = {50e9};
  for (int id = 0; id < flows; ++id) job.bandwidths.push_back(400e9);
  const std::int32_t gate =
      job.add({.delay = 0.5});  // The latencies end together only if they are paid before the bytes.
  for (std::int32_t id = 0; id < flows; ++id) {
    const std::int32_t lead = job.add({.delay = 1e-4 - 1e-5 * id}, {{gate}});
    job.add(job.flow(1e-5 * id, 1'000'000, {{0, 1 + id}}), {{lead}});
  }
  const Outcome outcome = played_both_ways(job);
  for (std::int32_t id = 0; id < flows; ++id)
    expect_relative(end_of(outcome, 2 + 2 * id), 0.5 + 1e-4 + flows * 1e6 / 50e9);
}

// Two flows that arrive one after the other, with times computed by hand.
TEST(Player, ALateFlowHalvesTheRateOfTheOneItMeets) {
  Job job;
  job.bandwidths = {1e9};
  job.add(job.flow(0, 3'000'000, {{0}}));     // alone for 1 ms: 1 MB; then 2 MB at half rate
  job.add(job.flow(1e-3, 1'000'000, {{0}}));  // 1 MB at half rate: ends at 3 ms
  const Outcome outcome = played_both_ways(job);
  expect_relative(end_of(outcome, 1), 3e-3);
  expect_relative(end_of(outcome, 0), 4e-3);
  expect_relative(outcome.links[0].busy, 4e-3);
  EXPECT_EQ(outcome.links[0].carried, 4'000'000);
  EXPECT_EQ(outcome.effort.overtaken, 1);
  EXPECT_EQ(outcome.effort.shared, 1);
}

TEST(Player, TheLastBytesOfAFlowStillTakeTheirShare) {
  Job job;
  job.bandwidths = {1e9};
  job.add(job.flow(0, 1'000'100, {{0}}));  // 100 bytes are left when the other comes
  job.add(job.flow(1e-3, 1'000'000, {{0}}));
  const Outcome outcome = played_both_ways(job);
  expect_relative(end_of(outcome, 0), 1e-3 + 2e-7);
  expect_relative(end_of(outcome, 1), 2e-3 + 1e-7);
}

TEST(Player, BothDirectionsRunAtFullRateAtOnce) {
  Job job;
  job.bandwidths = {25e9, 25e9};  // there, back
  job.add(job.flow(1e-6, 1'000'000, {{0}}));
  job.add(job.flow(1e-6, 1'000'000, {{1}}));
  const Outcome outcome = played_both_ways(job);
  for (const std::int32_t id : {0, 1}) expect_relative(end_of(outcome, id), 1e-6 + 1e6 / 25e9);
  EXPECT_EQ(outcome.effort.alone + outcome.effort.following, 2);
}

TEST(Player, AnUplinkOfTwoCardsHalvesAndTheirOwnLinksDont) {
  Job job;
  job.bandwidths = {16e9, 16e9, 16e9};  // card 0, card 1, the uplink they share
  job.add(job.flow(0, 16'000'000, {{0, 2}}));
  job.add(job.flow(0, 16'000'000, {{1, 2}}));
  const std::int32_t both[] = {0, 1};
  job.add(job.flow(0, 16'000'000, {{0}}), both);
  job.add(job.flow(0, 16'000'000, {{1}}), both);
  const Outcome outcome = played_both_ways(job);
  for (const std::int32_t id : {0, 1}) expect_relative(end_of(outcome, id), 2e-3);
  for (const std::int32_t id : {2, 3}) expect_relative(end_of(outcome, id), 3e-3);
}

TEST(Player, RailsDontShare) {
  constexpr std::int32_t rails = 8;
  Job job;
  job.bandwidths.assign(rails, 50e9);
  for (std::int32_t rail = 0; rail < rails; ++rail) job.add(job.flow(4e-6, 10'000'000, {{rail}}));
  const Outcome outcome = played_both_ways(job);
  for (std::int32_t rail = 0; rail < rails; ++rail) expect_relative(end_of(outcome, rail), 4e-6 + 1e7 / 50e9);
  EXPECT_EQ(outcome.effort.alone + outcome.effort.following, rails);
}

TEST(Player, WhatIsLeftByANarrowLinkGoesToTheOthers) {
  Job job;
  job.bandwidths = {10e9, 1e9};
  job.add(job.flow(0, 1'000'000, {{0, 1}}));  // 1 GB/s
  job.add(job.flow(0, 9'000'000, {{0}}));     // 9 GB/s: max-min, not halves
  const Outcome outcome = played_both_ways(job);
  for (const std::int32_t id : {0, 1}) expect_relative(end_of(outcome, id), 1e-3);
}

// Many equal flows follow each other on the same links. No two flows share a link, although each begins at
// the moment when another one ends.
TEST(Player, ARingOfEqualFlowsIsPlayedAlone) {
  constexpr std::int32_t ranks = 16, rounds = 30;
  Job job;
  job.bandwidths.assign(ranks, 25e9);
  for (std::int32_t round = 0; round < rounds; ++round)
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int32_t before = (round - 1) * ranks + (rank + ranks - 1) % ranks;
      const Activity flow = job.flow(0, 1'000'000, {{rank}});
      round == 0 ? job.add(flow) : job.add(flow, {{before}});
    }
  const Outcome outcome = played_both_ways(job);
  expect_relative(outcome.end, rounds * 1e6 / 25e9);
  EXPECT_EQ(outcome.effort.alone + outcome.effort.following, ranks * rounds);
}

// Eight pairs of cards, each pair with an uplink of its own, begin at once, and only one pair is simulated.
// Later a flow enters the uplinks of the third pair and of the first pair, which is the simulated one.
TEST(Player, OfEqualComponentsOneIsPlayedUntilAFlowEntersThem) {
  constexpr std::int32_t pairs = 8;
  Job job;
  job.bandwidths.assign(3 * pairs, 16e9);
  for (std::int32_t pair = 0; pair < pairs; ++pair)
    for (const std::int32_t card : {0, 1})
      job.add(job.flow(1e-6, card == 0 ? 16'000'000 : 32'000'000, {{2 * pair + card, 2 * pairs + pair}}));
  const Outcome undisturbed = played_both_ways(job);
  for (std::int32_t pair = 0; pair < pairs; ++pair) {
    expect_relative(end_of(undisturbed, 2 * pair), 1e-6 + 2e-3);
    expect_relative(end_of(undisturbed, 2 * pair + 1), 1e-6 + 3e-3);
  }
  EXPECT_EQ(undisturbed.effort.shared, 2);
  EXPECT_EQ(undisturbed.effort.following, 2 * pairs - 2);

  for (const std::int32_t pair : {2, 0})  // 16 MB that share the uplink with the second flow from 2.5 ms on
    job.add(job.flow(1e-6 + 2.5e-3, 16'000'000, {{2 * pairs + pair}}));
  const Outcome disturbed = played_both_ways(job);
  for (std::int32_t pair = 0; pair < pairs; ++pair)
    expect_relative(end_of(disturbed, 2 * pair + 1), 1e-6 + (pair == 2 || pair == 0 ? 3.5e-3 : 3e-3));
  for (const std::int32_t late : {2 * pairs, 2 * pairs + 1})
    expect_relative(end_of(disturbed, late), 1e-6 + 4e-3);
  // The flows of the third pair, and of the pair that is simulated from then on, don't follow others.
  EXPECT_EQ(disturbed.effort.following, 2 * pairs - 2 - 2);
}

TEST(Player, ComponentsOfOtherBandwidthsAreNotEqual) {
  Job job;
  job.bandwidths = {16e9, 8e9};
  for (const std::int32_t uplink : {0, 0, 1, 1}) job.add(job.flow(0, 16'000'000, {{uplink}}));
  const Outcome outcome = played_both_ways(job);
  for (const std::int32_t id : {0, 1}) expect_relative(end_of(outcome, id), 2e-3);
  for (const std::int32_t id : {2, 3}) expect_relative(end_of(outcome, id), 4e-3);
  EXPECT_EQ(outcome.effort.following, 0);
}

TEST(Player, WaitsForEverythingAndStartsThen) {
  Job job;
  job.add({.delay = 1e-3});
  job.add({.delay = 5e-3});
  const std::int32_t both[] = {0, 1};
  job.add({.delay = 2e-3}, both);
  const Outcome outcome = played(job);
  EXPECT_EQ(outcome.activities[2].start, 5e-3);
  EXPECT_EQ(outcome.activities[2].end, 5e-3 + 2e-3);
}

// The latency of the second flow passes while the first one sends. The third flow begins to send after both
// have ended, so it doesn't wait.
TEST(Player, BytesBehindOthersFlowWhenThoseHaveAndLatenciesOverlap) {
  Job job;
  job.bandwidths = {1e9};
  const auto add = [&](double latency, std::int64_t bytes, std::int32_t behind) {
    Activity flow = job.flow(latency, bytes, {{0}});
    flow.behind = behind;
    return job.add(flow);
  };
  add(1e-3, 1'000'000, none);
  add(1.5e-3, 2'000'000, 0);
  add(7e-3, 1'000'000, 1);
  add(0, 0, 2);  // a flow without bytes
  job.add({.delay = 1e-3, .behind = 0});
  job.add({.delay = 1e-3}, {{4}});
  const Outcome outcome = played_both_ways(job);
  expect_relative(end_of(outcome, 0), 2e-3);
  expect_relative(end_of(outcome, 1), 4e-3);
  expect_relative(end_of(outcome, 2), 8e-3);
  expect_relative(end_of(outcome, 3), 8e-3);
  expect_relative(end_of(outcome, 4), 2e-3);
  expect_relative(end_of(outcome, 5), 3e-3);
  for (const std::int32_t id : {0, 1, 2, 3, 4})
    EXPECT_EQ(outcome.activities[static_cast<std::size_t>(id)].start, 0);
  expect_relative(outcome.links[0].busy, 4e-3);
  EXPECT_EQ(outcome.effort.alone, 3);
}

// After hours of simulated time, flows of microseconds still end.
TEST(Player, ShortFlowsLateInALongJobArrive) {
  Job job;
  job.bandwidths = {25e9, 50e9};
  std::int32_t last = job.add({.delay = 40000.0 / 3});
  for (int round = 0; round < 50; ++round) {
    const std::int32_t first = job.add(job.flow(1e-6 / 3, 1'000, {{0, 1}}), {{last}});
    const std::int32_t second = job.add(job.flow(2e-6 / 3, 3'001, {{1}}), {{last}});
    const std::int32_t both[] = {first, second};
    last = job.add({.delay = 100.0 / 7}, both);
  }
  const Outcome outcome = played_both_ways(job);
  EXPECT_NEAR(outcome.end, 40000.0 / 3 + 50 * 100.0 / 7, 1e-4);
}

TEST(Player, SimulationsInOneProcessAreIndependentAndRepeatBitForBit) {
  Job small, large;
  for (Job* job : {&small, &large}) {
    job->bandwidths = {25e9, 50e9, 12.5e9};
    const std::int32_t flows = job == &small ? 5 : 60;
    for (std::int32_t id = 0; id < flows; ++id)
      job->add(job->flow(1e-7 * (id % 7), 1000 + 777 * id, {{id % 3, (id + 1) % 3}}));
  }
  const Outcome first = played(large);
  played(small);
  const Outcome again = played(large);
  const std::size_t bytes = first.activities.size() * sizeof(Interval);
  EXPECT_EQ(std::memcmp(first.activities.data(), again.activities.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(first.links.data(), again.links.data(), first.links.size() * sizeof(LinkLoad)), 0);
}

std::string failure_of(const Job& job) {
  try {
    played(job);
  } catch (const InternalError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);  // after the place in the source
  }
  return "nothing thrown";
}

TEST(Player, NamesActivitiesThatWaitForEachOther) {
  Job job;
  job.add({.delay = 1});
  job.add({.delay = 1}, {{2}});
  job.add({.delay = 1}, {{1}});
  job.add({.delay = 1}, {{0}});
  EXPECT_EQ(failure_of(job),
            "expected stuck.empty(): 2 of 4 activities never end, because they wait for each other: 1, 2");
}

TEST(Player, RefusesWhatNoJobMayHold) {
  Job negative;
  negative.add({.delay = -1});
  EXPECT_EQ(failure_of(negative),
            "expected is_amount(activity.delay) && activity.bytes >= 0: activity 0 has a delay of -1 s and 0 "
            "bytes");
  Job unknown;
  unknown.bandwidths = {1e9};
  unknown.add(unknown.flow(0, 1, {{1}}));
  EXPECT_EQ(failure_of(unknown), "expected is_known: activity 0 uses link 1 of 1");
  Job twice;
  twice.bandwidths = {1e9, 1e9};
  twice.add(twice.flow(0, 1, {{0, 1, 0}}));
  EXPECT_EQ(failure_of(twice), "expected is_new: activity 0 uses link 0 twice, with others between");
  Job dead;
  dead.bandwidths = {0};
  EXPECT_EQ(failure_of(dead),
            "expected is_amount(bandwidth) && bandwidth > 0: the bandwidth of link 0 is 0 B/s");
  Job early;
  early.add({.behind = 0});
  EXPECT_EQ(failure_of(early),
            "expected is_behind_earlier: activity 0 is behind activity 0, which isn't smaller");
  Job waits;
  waits.add({}, {{7}});
  EXPECT_EQ(failure_of(waits), "expected is_known: an activity waits for activity 7 of 1");
}

}  // namespace
}  // namespace wt::simulate
