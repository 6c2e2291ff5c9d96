// Claims: on TPU slices that the data-centre network joins, the chosen all-reduce first adds within each
// slice, and its time for large vectors comes near the bound that no schedule beats.

#include <gtest/gtest.h>

#include <algorithm>

#include "communication/bound.h"
#include "communication/machines.h"

namespace wt::communication {
namespace {

using collective::Algorithm, collective::Operation;

struct Answer {
  std::string algorithm{};
  Seconds time{};
  double of_bound = 0;
};

Answer answer_of(const Group& group, Bounds& bounds, const Algorithm& algorithm, Bytes bytes) {
  const Call call = call_of(group, algorithm, {.ranks = group.size(), .elements = bytes.count() / 4}, {});
  const collective::Contract contract = collective::make_schedule(algorithm, call.request).contract;
  const Timing timing = time_of(call, group);
  const auto bound = bounds.of(contract, endpoints(group, &algorithm, contract), bytes);
  return {std::string(algorithm.name), timing.time, bound.value() / timing.time};
}

const Algorithm& chosen_for(const Group& group, Bytes bytes) {
  const auto ranked = choices(group, Operation::all_reduce, bytes);
  return collective::algorithm_named(Operation::all_reduce, ranked.front().algorithm);
}

constexpr Bytes mib(1 << 20);

// The time within slices and the time on the network add up, while the bound is the longer of the two. If
// axes don't close to rings, it is the bound of the chips in a corner, which counts the network in addition
// to their two links.
TEST(Multislice, WhatIsChosenComesNearTheBound) {
  struct Row {
    Machines machines{};
    double of_bound = 0;  // the least share of the bound, for 1 GiB
  };
  const std::vector<Row> rows{{{"tpu_v5e", {"slice=2x4", "slices=2"}}, 0.75},
                              {{"tpu_v5e", {"slice=8x8", "slices=2"}}, 0.38},
                              {{"tpu_v5e", {"slice=4x8", "slices=3"}}, 0.33},
                              {{"tpu_v4", {"slice=v4-64", "slices=4"}}, 0.37},
                              {{"tpu_v3", {"slice=v3-32", "slices=2"}}, 0.5}};
  for (const auto& [machines, least] : rows) {
    const platform::Platform platform = machines.load();
    const Group group = first_devices(platform, platform.devices());
    Bounds bounds(group);
    const Answer answer = answer_of(group, bounds, chosen_for(group, 1024 * mib), 1024 * mib);
    EXPECT_TRUE(answer.algorithm.starts_with("torus")) << machines.name << " " << answer.algorithm;
    EXPECT_GE(answer.of_bound, least) << machines.name << " " << machines.set[0];
  }
}

// In addition to the time of a single slice, each NIC passes its share of the vector around the slices.
TEST(Multislice, TheNetworkComesOnTopOfOneSlice) {
  const Bytes bytes = 1024 * mib;
  const auto time_on = [&](int slices, std::string_view shape) {
    const platform::Platform platform =
        Machines{"tpu_v5e", {fmt::format("slice={}", shape), fmt::format("slices={}", slices)}}.load();
    const Group group = first_devices(platform, platform.devices());
    const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, "torus_2d_bucket");
    return time_of(call_of(group, algorithm, {.ranks = group.size(), .elements = bytes.count() / 4}, {}),
                   group)
        .time.count();
  };
  const platform::Platform two = Machines{"tpu_v5e", {"slice=4x8", "slices=2"}}.load();
  const double card = two.route(two.device(0), two.device(32)).bottleneck.count();
  const double hosts = two.machines() / 2.0;
  for (const int slices : {2, 3, 4}) {
    const double across = 2.0 * (slices - 1) / slices * static_cast<double>(bytes.count()) / (hosts * card);
    EXPECT_NEAR(time_on(slices, "4x8"), time_on(1, "4x8") + across, 0.02 * across) << slices;
  }
}

// No other algorithm of the catalog is faster than the chosen one by more than a fifth, at any size.
TEST(Multislice, NothingElseIsMuchFaster) {
  const platform::Platform platform = Machines{"tpu_v5e", {"slice=4x4", "slices=2"}}.load();
  const Group group = first_devices(platform, platform.devices());
  Bounds bounds(group);
  for (const Bytes bytes : {Bytes(4096), mib, 64 * mib}) {
    const Answer answer = answer_of(group, bounds, chosen_for(group, bytes), bytes);
    for (const Algorithm* other : collective::algorithms_of(Operation::all_reduce)) {
      const Call call = call_of(group, *other, {.ranks = group.size(), .elements = bytes.count() / 4}, {});
      if (!can_run(group, call)) continue;
      EXPECT_LE(answer.time / time_of(call, group).time, 1.2) << other->name << " " << bytes.count();
    }
  }
}

// Slices in reverse order are slices. Ranks that alternate between slices, or leave out a chip, are none.
TEST(Multislice, SlicesAreWholeAndOneBehindTheOther) {
  const platform::Platform platform = Machines{"tpu_v5e", {"slice=2x4", "slices=3"}}.load();
  EXPECT_EQ(whole_slices(first_devices(platform, 24)), 3);
  EXPECT_EQ(whole_slices(first_devices(platform, 16)), 2);
  EXPECT_EQ(whole_slices(first_devices(platform, 12)), 0);
  Group group = first_devices(platform, 24);
  std::ranges::reverse(group.ranks);
  EXPECT_EQ(whole_slices(group), 3);
  std::swap(group.ranks.front(), group.ranks.back());
  EXPECT_EQ(whole_slices(group), 0);
  EXPECT_EQ(whole_slices(first_devices(Machines{"dgx_h100"}.load(), 8)), 0);
}

// The ranks of every slice are numbered by coordinates, not only those of the first: a hop along an axis is
// one link.
TEST(Multislice, RanksGoAlongTheAxesOfTheirOwnSlice) {
  const platform::Platform platform = Machines{"tpu_v5e", {"slice=4x8", "slices=2"}}.load();
  const Group group = first_devices(platform, 64);
  const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, "torus_2d_bucket");
  const Call call = call_of(group, algorithm, {.ranks = 64, .elements = 64 * 1024}, {});
  EXPECT_EQ(call.request.options.slices, 2);
  const collective::Schedule schedule = collective::make_schedule(algorithm, call.request);
  const std::vector<platform::Endpoint> where = endpoints(group, &algorithm, schedule.contract);
  int within = 0;
  for (int round = 0; round < schedule.rule.rounds; ++round)
    for (const collective::Move& move : collective::moves_of(schedule, round)) {
      if (move.source / 32 != move.target / 32) continue;
      const auto at = [&](int rank) { return where[static_cast<std::size_t>(rank)]; };
      EXPECT_EQ(platform.route(at(move.source), at(move.target)).links.size(), 1U);
      ++within;
    }
  EXPECT_GT(within, 0);
}

}  // namespace
}  // namespace wt::communication
