// Claims about machines of which no published table shows all sizes: racks of GB200 whose NVLink domains span trays,
// AMD's GPUs that are all linked to each other, network cards that allow some protocols only. Each all-reduce that their
// library would choose can be timed, is no faster than its bound, and takes the same time folded and expanded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "communication/bound.h"
#include "communication/fabric.h"
#include "communication/machines.h"

namespace wt::communication {
namespace {

using collective::Operation, collective::Protocol;

struct Timed {
  collective::Choice choice{};
  Call call{};
};

Timed library_call(const Group& group, Bytes bytes, Operation operation = Operation::all_reduce) {
  const collective::Choice choice = choices(group, operation, bytes).front();
  const collective::Algorithm& algorithm = collective::algorithm_named(operation, choice.algorithm);
  return {choice, call_of(group, algorithm, {.ranks = group.size(), .elements = bytes.count() / 4},
                          {.protocol = choice.protocol})};
}

Seconds bound_of(const Group& group, const Call& call, Bytes bytes) {
  const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
  return Bounds(group).of(contract, endpoints(group, call.algorithm, contract), bytes).value_or(Seconds(0));
}

double bus_gigabytes(const Group& group, Bytes bytes, Seconds time) {
  return static_cast<double>(bytes.count()) * 2 * (group.size() - 1) / group.size() / time.count() / 1e9;
}

const std::vector<Machines> machines{{"gb200_nvl72", {"machines=9"}},
                                     {"gb200_nvl72", {}},
                                     {"gb200_nvl72", {"machines=36"}},
                                     {"hgx_mi300x", {}},
                                     {"hgx_mi300x", {"machines=2"}},
                                     {"hgx_mi300x", {"machines=3"}},
                                     {"hgx_mi300x", {"devices=2"}},
                                     {"hgx_mi355x", {"machines=2"}},
                                     {"hpe_ex235a", {}},
                                     {"hpe_ex235a", {"machines=2"}},
                                     {"aws_p4d_24xlarge", {"machines=2"}},
                                     {"gce_a3_megagpu_8g", {"machines=2"}},
                                     {"aws_g4dn_8xlarge", {"machines=2"}},
                                     {"dgx1_v100", {"machines=2"}}};

TEST(UnmeasuredMachines, NothingIsFasterThanItsBound) {
  for (const Machines& each : machines) {
    const platform::Platform platform = each.load();
    const Group group = first_devices(platform, platform.devices());
    for (const std::int64_t size :
         {std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 26, std::int64_t{1} << 30}) {
      const Timed timed = library_call(group, Bytes(size));
      const Seconds time = time_of(timed.call, group).time;
      EXPECT_GE(time.count(), bound_of(group, timed.call, Bytes(size)).count())
          << each.name << " " << size << " " << timed.choice.algorithm;
      EXPECT_TRUE(std::isfinite(time.count()));
    }
  }
}

TEST(UnmeasuredMachines, FoldedIsExpanded) {
  for (const Machines& each : {Machines{"hgx_mi300x", {"machines=2"}}, Machines{"hgx_mi300x", {}},
                               Machines{"dgx1_v100", {"machines=2"}}, Machines{"hpe_ex235a", {"machines=2"}},
                               Machines{"gb200_nvl72", {"machines=4", "fabric.machines=2"}}}) {
    const platform::Platform platform = each.load();
    const Group group = first_devices(platform, platform.devices());
    for (const std::int64_t size : {std::int64_t{1} << 14, std::int64_t{1} << 22}) {
      const Timed timed = library_call(group, Bytes(size));
      const double folded = time_of(timed.call, group).time.count();
      EXPECT_NEAR(folded, time_of(timed.call, group, Folding::expanded).time.count(), 1e-9 * folded)
          << each.name << " " << size << " " << timed.choice.algorithm;
    }
  }
}

// NCCL counts a domain as a node. Two racks have two switches that add, and not one for each of 36 trays.
TEST(UnmeasuredMachines, ShapesOfRacksCountNvlinkDomains) {
  const platform::Platform platform = Machines{"gb200_nvl72", {"machines=36"}}.load();
  const Group group = first_devices(platform, platform.devices());
  const Timed timed = library_call(group, Bytes(std::int64_t{1} << 30));
  EXPECT_EQ(timed.choice.algorithm, "nvls_tree");
  EXPECT_EQ(timed.call.request.options.shape, (std::vector<int>{72, 2}));
  const collective::Contract contract =
      collective::make_schedule(*timed.call.algorithm, timed.call.request).contract;
  EXPECT_EQ(contract.helpers, 2);
}

// Seven links of 44.8 GB/s carry an all-reduce of eight MI300X. Between two nodes every link of a machine carries one
// of eight rings: 358 GB/s, as measured over RoCE, where the network cards alone would allow 384.
TEST(UnmeasuredMachines, XgmiMeshesUseAllLinks) {
  const Bytes large(std::int64_t{1} << 34);
  const platform::Platform one = Machines{"hgx_mi300x", {}}.load(),
                           two = Machines{"hgx_mi300x", {"machines=2"}}.load();
  const Group eight = first_devices(one, 8), sixteen = first_devices(two, 16);
  EXPECT_NEAR(bus_gigabytes(eight, large, time_of(library_call(eight, large).call, eight).time), 7 * 44.8, 3);
  EXPECT_NEAR(bus_gigabytes(sixteen, large, time_of(library_call(sixteen, large).call, sixteen).time),
              8 * 44.8, 4);
}

// Amazon's plugin allows Simple alone on the first generation of EFA, and Google's has no LL.
TEST(UnmeasuredMachines, NetworkCardsAllowSomeProtocolsOnly) {
  const auto protocols_of = [](const Machines& chosen) {
    const platform::Platform platform = chosen.load();
    std::set<Protocol> found;
    for (int exponent = 3; exponent < 34; ++exponent)
      found.insert(choices(first_devices(platform, platform.devices()), Operation::all_reduce,
                           Bytes(std::int64_t{1} << exponent))
                       .front()
                       .protocol);
    return found;
  };
  EXPECT_EQ(protocols_of({"aws_p4d_24xlarge", {"machines=2"}}), std::set{Protocol::simple});
  EXPECT_TRUE(protocols_of({"aws_p4d_24xlarge", {}}).contains(Protocol::ll))
      << "within a machine there is no plugin";
  EXPECT_FALSE(protocols_of({"gce_a3_megagpu_8g", {"machines=2"}}).contains(Protocol::ll));
  EXPECT_TRUE(protocols_of({"aws_p5_48xlarge", {"machines=2"}}).contains(Protocol::ll));
}

// A ring of one card on several machines isn't what NCCL does with several cards.
TEST(UnmeasuredMachines, ARingOnSeveralMachinesUsesAllCards) {
  const platform::Platform platform = Machines{"dgx_h100", {"machines=2"}}.load();
  const Group group = first_devices(platform, 16);
  const Call call = call_of(group, collective::algorithm_named(Operation::all_reduce, "ring"),
                            {.ranks = 16, .elements = 1 << 28}, {});
  EXPECT_EQ(call.algorithm->name, "multi_rail");
  EXPECT_GT(bus_gigabytes(group, Bytes(std::int64_t{1} << 30), time_of(call, group).time), 250);
}

// Each card carries its share of what a root sends to all or adds up, so that twice the bytes take as much longer as all
// cards together need for them. The links within these machines are faster.
TEST(UnmeasuredMachines, VectorsFromAndToARootLeaveByAllCards) {
  constexpr std::int64_t large = 1 << 30;
  for (const Machines& each : {Machines{"dgx_a100", {"machines=2"}}, Machines{"dgx_a100", {"machines=3"}},
                               Machines{"dgx_a100", {"machines=4"}}})
    for (const Operation operation : {Operation::broadcast, Operation::reduce})
      for (const int root : {0, 11}) {
        SCOPED_TRACE(
            fmt::format("{} of {}, {}, root {}", collective::name(operation), each.name, each.set[0], root));
        const platform::Platform platform = each.load();
        const Group group = first_devices(platform, platform.devices());
        const auto seconds = [&](std::int64_t bytes) {
          Call call = call_of(group, collective::algorithm_named(operation, "chain"),
                              {.ranks = group.size(), .elements = bytes / 4}, {.protocol = Protocol::simple});
          EXPECT_EQ(call.algorithm->name, "multi_rail");
          call.request.root = root;
          return time_of(call, group).time.count();
        };
        const double cards = hardware_of(group).fabric.nics *
                             platform.route(group.ranks[0], group.ranks.back()).bottleneck.count();
        EXPECT_NEAR(large / (seconds(2 * large) - seconds(large)) / cards, 1, 0.01);
      }
}

// A vector that is too small for a second channel passes along one chain, as it does within a machine.
TEST(UnmeasuredMachines, SmallVectorsFromAndToARootTakeOneChain) {
  const platform::Platform platform = Machines{"dgx_h100", {"machines=2"}}.load();
  const Group group = first_devices(platform, 16);
  for (const Operation operation : {Operation::broadcast, Operation::reduce}) {
    const Call call =
        call_of(group, collective::algorithm_named(operation, "chain"), {.ranks = 16, .elements = 2}, {});
    const collective::Expanded schedule =
        collective::expand(collective::make_schedule(*call.algorithm, call.request));
    EXPECT_EQ(call.request.options.lanes, 1);
    EXPECT_EQ(std::ranges::count_if(
                  schedule.steps,
                  [](const collective::Step& step) { return step.move.source / 8 != step.move.target / 8; }),
              1);
  }
}

}  // namespace
}  // namespace wt::communication
