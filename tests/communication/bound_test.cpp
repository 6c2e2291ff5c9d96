// Claims: no algorithm beats the bound of its machine, whatever the size of the vector and the library; and
// no link carries more than its rate allows.

#include "communication/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "communication/machines.h"

namespace wt::communication {
namespace {

using collective::Algorithm, collective::Operation;

constexpr double exactly = 1e-9;

struct Seen {
  int points = 0;
  std::map<std::string, int> of{};  // the number of points by operation and algorithm: "all_reduce nvls"

  void expect_possible(const Call& call, const Group& group, Bounds& bounds) {
    const Timing timing = time_of(call, group);
    const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
    const auto bound =
        bounds.of(contract, endpoints(group, call.algorithm, contract), Bytes(4 * call.request.elements));
    EXPECT_TRUE(bound.has_value() || !contract.left_out.empty());
    if (bound) {
      EXPECT_GE(timing.time.count(), bound->count() * (1 - exactly));
    }
    for (const plan::LinkUse& link : timing.links) {
      EXPECT_LE(link.busy.count(), timing.time.count() * (1 + exactly)) << link.name;
      // Bytes are whole numbers.
      EXPECT_LE(static_cast<double>(link.carried.count()),
                link.bandwidth.count() * link.busy.count() * (1 + exactly) + 1)
          << link.name;
    }
    ++points;
    ++of[fmt::format("{} {}", collective::name(call.algorithm->operation), call.algorithm->name)];
  }
};

const std::vector<Machines>& machines() {
  static const std::vector<Machines> rows{{"dgx_h100"},
                                          {"dgx_h100", {"machines=2"}},
                                          {"dgx_a100", {"machines=2"}},
                                          {"dgx1_v100"},
                                          {"dgx_b200", {"machines=2"}},
                                          {"gb200_nvl72"},
                                          {"aws_p5_48xlarge", {"machines=2"}},
                                          {"hgx_mi300x", {"machines=2"}},
                                          {"workstation_8x2080ti_2socket"},
                                          {"gce_n1_k80"},
                                          {"ideal_ring"},
                                          {"ideal_torus"},
                                          {"ideal_switch", {"ranks=16", "machines=4"}},
                                          {"tpu_v4", {"slice=v4-32"}},
                                          {"tpu_v5e", {"slice=2x4", "slices=2"}},
                                          {"cpu_cluster_25gbe", {"machines=6"}}};
  return rows;
}

TEST(Bound, IsNeverBeatenNorIsALinkFilledBeyondItsRate) {
  Seen seen;
  for (const Machines& described : machines()) {
    const platform::Platform platform = described.load();
    for (const int ranks : {std::min(16, platform.devices()), 6}) {
      const Group group = first_devices(platform, std::min(ranks, platform.devices()));
      Bounds bounds(group);
      for (const Algorithm& algorithm : collective::algorithms())
        for (const std::int64_t elements : {64, 1 << 18}) {
          SCOPED_TRACE(fmt::format("{} {} on {}: {} ranks, {} elements",
                                   collective::name(algorithm.operation), algorithm.name, described.name,
                                   group.size(), elements));
          const collective::Request request = request_for(group, algorithm, elements * group.size());
          if (!can_run(group, wires_alone(algorithm, request))) continue;
          seen.expect_possible(call_of(group, algorithm, request, {}), group, bounds);
        }
    }
  }
  EXPECT_GE(seen.points, 2000);
  for (const Algorithm& algorithm : collective::algorithms()) {
    const std::string name = fmt::format("{} {}", collective::name(algorithm.operation), algorithm.name);
    EXPECT_GE(seen.of[name], 3) << name;
  }
}

// With 8 ranks a ring passes 2 x 7/8 of the vector through each port. A switch that adds needs at least the
// vector itself.
TEST(Bound, IsTheVectorItselfWhereSwitchesAdd) {
  const platform::Platform platform = Machines{"dgx_h100"}.load();
  const Group group = first_devices(platform, 8);
  Bounds bounds(group);
  const auto of = [&](std::string_view name) {
    const Algorithm& algorithm = collective::algorithm_named(Operation::all_reduce, name);
    const collective::Contract contract =
        collective::make_schedule(algorithm, request_for(group, algorithm, 8 * 96'000)).contract;
    return bounds.of(contract, endpoints(group, &algorithm, contract), Bytes(4 * 8 * 96'000))->count();
  };
  EXPECT_NEAR(of("ring") / of("nvls"), 2 * 7 / 8.0, exactly);
}

// Two slices exchange the vector over the NICs of all hosts of a slice, whatever the rate between their chips
// is.
TEST(Bound, OfSlicesIsWhatTheirCardsPass) {
  const platform::Platform platform = Machines{"tpu_v5e", {"slice=4x4", "slices=2"}}.load();
  const Group group = first_devices(platform, 32);
  const Algorithm& ring = collective::algorithm_named(Operation::all_reduce, "ring");
  const collective::Contract contract =
      collective::make_schedule(ring, {.ranks = 32, .elements = 32}).contract;
  const auto bound = Bounds(group).of(contract, group.ranks, Bytes(1 << 30));
  const double card = platform.route(group.ranks[0], group.ranks[16]).bottleneck.count();
  const double hosts = platform.machines() / 2.0;
  EXPECT_NEAR(bound.value().count(), (1 << 30) / (hosts * card), exactly);
}

// NCCL's reduce-scatter and all-gather use all NICs of a machine at once, as its all-reduce does, and so do
// SHARP's trees.
TEST(Bound, IsNearWhereAllCardsOfAMachineTakePart) {
  const platform::Platform platform = Machines{"dgx_h100", {"machines=4"}}.load();
  const Group group = first_devices(platform, 32);
  Bounds bounds(group);
  const Bytes bytes(1 << 30);
  const auto of_bound = [&](Operation operation, std::string_view name) {
    const Algorithm& algorithm = collective::algorithm_named(operation, name);
    const Call call = call_of(group, algorithm, {.ranks = 32, .elements = bytes.count() / 4}, {});
    const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
    return bounds.of(contract, endpoints(group, call.algorithm, contract), bytes).value() /
           time_of(call, group).time;
  };
  for (const Operation half : {Operation::reduce_scatter, Operation::all_gather})
    EXPECT_GE(of_bound(half, choices(group, half, bytes).front().algorithm), 0.85);
  // A chain fills with the first of its pieces, on the way to the last of 32 ranks.
  for (const Operation rooted : {Operation::broadcast, Operation::reduce})
    EXPECT_GE(of_bound(rooted, choices(group, rooted, bytes).front().algorithm), 0.6);
  EXPECT_GE(of_bound(Operation::all_reduce, "sharp"), 0.5);
}

TEST(Bound, IsUnsetWhereRoutesAreTooMany) {
  const platform::Platform platform = Machines{"ideal_switch", {"ranks=1025"}}.load();
  const Group group = first_devices(platform, 1025);
  const Algorithm& ring = collective::algorithm_named(Operation::all_reduce, "ring");
  const collective::Contract contract =
      collective::make_schedule(ring, {.ranks = 1025, .elements = 1025}).contract;
  EXPECT_EQ(Bounds(group).of(contract, endpoints(group, &ring, contract), Bytes(4100)), std::nullopt);
}

}  // namespace
}  // namespace wt::communication
