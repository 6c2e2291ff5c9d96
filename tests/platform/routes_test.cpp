// Claim: routes follow the diagrams of the machines. Named pairs have the links, latency and bottleneck that
// are written here by hand. Every pair of every platform of platforms/ is joined, and latency and bottleneck
// agree with the links.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/quantity_literals.h"
#include "platform/platforms.h"

namespace wt::platform {
namespace {

using Names = std::vector<std::string>;

bool share(const Route& left, const Route& right) {
  return std::any_of(left.links.begin(), left.links.end(), [&](LinkId link) {
    return std::find(right.links.begin(), right.links.end(), link) != right.links.end();
  });
}

TEST(CubeMesh, JoinsNeighboursDirectly) {
  const Platform dgx = platform_of("dgx1_v100");
  EXPECT_EQ(names(dgx, 0, 3), Names{"machine 0/gpu 0 -> gpu 3"});
  EXPECT_EQ(names(dgx, 3, 0), Names{"machine 0/gpu 3 -> gpu 0"});
  const Route twice = dgx.route(dgx.device(0), dgx.device(3));
  const Route once = dgx.route(dgx.device(0), dgx.device(1));
  EXPECT_DOUBLE_EQ(twice.bottleneck.count(), 2 * 25e9 * 0.88);
  EXPECT_DOUBLE_EQ(once.bottleneck.count(), 25e9 * 0.88);
  EXPECT_DOUBLE_EQ(once.latency.count(), 0.3e-6);
}

TEST(CubeMesh, LeadsMissingPairsThroughOneGpu) {
  const Platform dgx = platform_of("dgx1_v100");
  // From 0 to 5 the connections through GPU 1 have 1 and 2 links, and those through GPU 4 have 2 and 1. The
  // bottlenecks are equal, so the lower index wins.
  EXPECT_EQ(names(dgx, 0, 5), (Names{"machine 0/gpu 0 -> gpu 1", "machine 0/gpu 1 -> gpu 5"}));
  // From 0 to 7 the connections through GPU 3 have 2 and 1 links, and those through GPU 4 have 2 each.
  EXPECT_EQ(names(dgx, 0, 7), (Names{"machine 0/gpu 0 -> gpu 4", "machine 0/gpu 4 -> gpu 7"}));
  EXPECT_EQ(names(dgx, 2, 5), (Names{"machine 0/gpu 2 -> gpu 1", "machine 0/gpu 1 -> gpu 5"}));
  int direct = 0;
  int through_one = 0;
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from == to) continue;
      const Route route = dgx.route(dgx.device(from), dgx.device(to));
      direct += route.links.size() == 1 ? 1 : 0;
      through_one += route.links.size() == 2 ? 1 : 0;
      for (const LinkId link : route.links) EXPECT_EQ(dgx.link(link).kind, LinkKind::nvlink);
    }
  }
  EXPECT_EQ(direct, 32);  // 16 pairs
  EXPECT_EQ(through_one, 24);
}

TEST(PcieTree, LeadsTwoGpusOfASwitchOverOneUplink) {
  const Platform dgx = platform_of("dgx1_v100");
  EXPECT_EQ(names(dgx, dgx.device(1), dgx.host(0)),
            (Names{"machine 0/gpu 1 -> pcie switch 0", "machine 0/pcie switch 0 -> socket 0",
                   "machine 0/socket 0 -> host 0"}));
  EXPECT_EQ(names(dgx, dgx.host(0), dgx.device(1)),
            (Names{"machine 0/host 0 -> socket 0", "machine 0/socket 0 -> pcie switch 0",
                   "machine 0/pcie switch 0 -> gpu 1"}));
  const auto to_host = [&](int device) { return dgx.route(dgx.device(device), dgx.host(0)).links; };
  EXPECT_EQ(to_host(0)[1], to_host(1)[1]);
  EXPECT_NE(to_host(0)[0], to_host(1)[0]);
  EXPECT_NE(to_host(1)[1], to_host(2)[1]);
  EXPECT_EQ(dgx.route(dgx.device(1), dgx.host(0)).bottleneck, 12.35_GBps);
  EXPECT_DOUBLE_EQ(dgx.route(dgx.device(1), dgx.host(0)).latency.count(), 1e-6);
}

TEST(PcieTree, ReachesTheOtherSocketsMemoryOverTheirLink) {
  const Platform dgx = platform_of("dgx1_v100");
  EXPECT_EQ(dgx.host_of(dgx.device(5)), dgx.host(1));
  EXPECT_EQ(names(dgx, dgx.device(5), dgx.host(0)),
            (Names{"machine 0/gpu 5 -> pcie switch 2", "machine 0/pcie switch 2 -> socket 1",
                   "machine 0/socket 1 -> socket 0", "machine 0/socket 0 -> host 0"}));
  EXPECT_EQ(dgx.route(dgx.device(5), dgx.host(0)).bottleneck, 12.35_GBps);
  EXPECT_EQ(dgx.route(dgx.host(1), dgx.host(0)).bottleneck, 33.8_GBps);
  EXPECT_EQ(names(dgx, dgx.host(0), dgx.host(1)),
            (Names{"machine 0/host 0 -> socket 0", "machine 0/socket 0 -> socket 1",
                   "machine 0/socket 1 -> host 1"}));
}

TEST(PcieTree, StagesInTheSendersMemoryWithoutPeerToPeer) {
  const Platform cards = platform_of("workstation_2x4090");
  EXPECT_EQ(names(cards, 0, 1), (Names{"machine 0/gpu 0 -> socket 0", "machine 0/socket 0 -> host 0",
                                       "machine 0/host 0 -> socket 0", "machine 0/socket 0 -> gpu 1"}));
  const Platform peers = platform_of("workstation_2x4090", {"machine.pcie.peer_to_peer=socket"});
  EXPECT_EQ(names(peers, 0, 1), (Names{"machine 0/gpu 0 -> socket 0", "machine 0/socket 0 -> gpu 1"}));
}

constexpr const char* four_cards = R"({"machine": {
    "devices": {"type": "rtx4090", "count": 4}, "hosts": {"type": "xeon_8168", "count": 2, "link": {"bandwidth": "10 GB/s"}},
    "pcie": {"bandwidth": "26 GB/s", "switches": 2, "peer_to_peer": "REACH"}}})";

Platform four_cards_with(const std::string& reach) {
  std::string text = four_cards;
  return written(text.replace(text.find("REACH"), 5, reach));
}

TEST(PcieTree, GoesAsFarAsPeerToPeerReaches) {
  const std::vector<std::size_t> lengths_to_1{6, 2, 2, 2};
  const std::vector<std::size_t> lengths_to_2{7, 7, 7, 5};
  std::size_t row = 0;
  for (const char* reach : {"none", "switch", "socket", "machine"}) {
    SCOPED_TRACE(reach);
    const Platform cards = four_cards_with(reach);
    EXPECT_EQ(names(cards, 0, 1).size(), lengths_to_1[row]);
    EXPECT_EQ(names(cards, 0, 2).size(), lengths_to_2[row]);
    ++row;
  }
  EXPECT_EQ(
      names(four_cards_with("switch"), 0, 2),
      (Names{"machine 0/gpu 0 -> pcie switch 0", "machine 0/pcie switch 0 -> socket 0",
             "machine 0/socket 0 -> host 0", "machine 0/host 0 -> socket 0", "machine 0/socket 0 -> socket 1",
             "machine 0/socket 1 -> pcie switch 1", "machine 0/pcie switch 1 -> gpu 2"}));
}

TEST(PcieTree, DistinguishesTwoSwitchesOfASocketFromOne) {
  const auto length = [](const char* reach) {
    return names(
               written(
                   std::string(
                       R"({"machine": {"devices": {"type": "rtx4090", "count": 2}, "hosts": {"type": "xeon_8168"},
      "pcie": {"bandwidth": "26 GB/s", "switches": 2, "peer_to_peer": ")") +
                   reach + R"("}}})"),
               0, 1)
        .size();
  };
  EXPECT_EQ(length("switch"), 6u);  // through the host's memory
  EXPECT_EQ(length("socket"), 4u);
}

TEST(PcieTree, DealsLevelsOfSwitchesEvenly) {
  const Platform machine = written(R"({"machine": {
    "devices": {"type": "v100_sxm2_32", "count": 16}, "hosts": {"type": "xeon_8168", "count": 2, "link": {"bandwidth": "10 GB/s"}},
    "pcie": {"bandwidth": "12 GB/s", "switches": [4, 8], "uplink": {"bandwidth": "11 GB/s"}}}})");
  EXPECT_EQ(names(machine, machine.device(13), machine.host(1)),
            (Names{"machine 0/gpu 13 -> pcie switch 10", "machine 0/pcie switch 10 -> pcie switch 3",
                   "machine 0/pcie switch 3 -> socket 1", "machine 0/socket 1 -> host 1"}));
  EXPECT_EQ(machine.route(machine.device(13), machine.host(1)).bottleneck, 11_GBps);
  EXPECT_EQ(names(machine, 12, 15).size(), 4u);  // through the upper switch
  EXPECT_EQ(machine.host_of(machine.device(7)), machine.host(0));
}

TEST(PcieTree, MayBeUneven) {
  const Platform machine = written(R"({"machines": 2, "machine": {
    "devices": {"type": "rtx4090", "count": 3}, "hosts": {"type": "xeon_8168", "count": 2, "link": {"bandwidth": "10 GB/s"}},
    "pcie": {"bandwidth": "26 GB/s", "switches": [{"host": 1, "devices": [0], "nics": [0], "switches": [{"devices": [2]}]},
                                                  {"devices": [1]}]},
    "nics": {"bandwidth": "100 Gb/s", "gpu_direct": "switch"}}, "network": {"type": "switch"}})");
  EXPECT_EQ(machine.host_of(machine.device(2)), machine.host(1));
  EXPECT_EQ(machine.host_of(machine.device(1)), machine.host(0));
  EXPECT_EQ(names(machine, 0, 2),
            (Names{"machine 0/gpu 0 -> pcie switch 0", "machine 0/pcie switch 0 -> pcie switch 1",
                   "machine 0/pcie switch 1 -> gpu 2"}));
  EXPECT_EQ(
      names(machine, 2, 3),
      (Names{"machine 0/gpu 2 -> pcie switch 1", "machine 0/pcie switch 1 -> pcie switch 0",
             "machine 0/pcie switch 0 -> nic 0", "machine 0/nic 0 -> switch", "switch -> machine 1/nic 0",
             "machine 1/nic 0 -> pcie switch 0", "machine 1/pcie switch 0 -> gpu 0"}));
  // A NIC of the other socket does not reach the device's memory directly.
  EXPECT_EQ(
      names(machine, 0, 4),
      (Names{"machine 0/gpu 0 -> pcie switch 0", "machine 0/pcie switch 0 -> nic 0",
             "machine 0/nic 0 -> switch", "switch -> machine 1/nic 0", "machine 1/nic 0 -> pcie switch 0",
             "machine 1/pcie switch 0 -> socket 1", "machine 1/socket 1 -> socket 0",
             "machine 1/socket 0 -> host 0", "machine 1/host 0 -> socket 0",
             "machine 1/socket 0 -> pcie switch 2", "machine 1/pcie switch 2 -> gpu 1"}));
}

TEST(NvSwitch, JoinsAllPairsOverTwoLinks) {
  const Platform dgx = platform_of("dgx_h100");
  EXPECT_EQ(names(dgx, 2, 7), (Names{"machine 0/gpu 2 -> nvswitch", "machine 0/nvswitch -> gpu 7"}));
  const Route route = dgx.route(dgx.device(2), dgx.device(7));
  EXPECT_DOUBLE_EQ(route.bottleneck.count(), 18 * 25e9 * 0.82);
  EXPECT_DOUBLE_EQ(route.latency.count(), 0.936e-6);
}

TEST(FullMesh, GivesEachPairItsOwnLink) {
  const Platform machine = written(R"({"machine": {
    "devices": {"type": "mi300x", "count": 8}, "hosts": {"type": "epyc_7742"}, "pcie": {"bandwidth": "55 GB/s"},
    "xgmi": {"layout": "full_mesh", "bandwidth": "64 GB/s"}}})");
  std::set<LinkId> links;
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to)
      if (from != to) links.insert(machine.route(machine.device(from), machine.device(to)).links.at(0));
  EXPECT_EQ(links.size(), 56u);
  EXPECT_EQ(names(machine, 6, 1), Names{"machine 0/gpu 6 -> gpu 1"});
  EXPECT_EQ(machine.link(*links.begin()).kind, LinkKind::xgmi);
}

TEST(C2c, ReplacesPcieToTheHost) {
  const Platform machine = written(R"({"machine": {
    "devices": {"type": "gb200_gpu", "count": 4}, "hosts": {"type": "grace", "count": 2, "link": {"bandwidth": "300 GB/s"}},
    "c2c": {"bandwidth": "450 GB/s"}, "nvlink": {"links": 18, "bandwidth": "50 GB/s"}}})");
  EXPECT_EQ(names(machine, machine.device(3), machine.host(1)),
            (Names{"machine 0/gpu 3 -> socket 1", "machine 0/socket 1 -> host 1"}));
  EXPECT_EQ(machine.route(machine.device(3), machine.host(1)).bottleneck, 450_GBps);
}

TEST(CpuDevices, AreTheirHosts) {
  const Platform cluster = written(R"({"machines": 2, "machine": {
    "devices": {"type": "xeon_8168"}, "hosts": {"type": "xeon_8168"}, "pcie": {"bandwidth": "12 GB/s"},
    "nics": {"bandwidth": "10 Gb/s"}}, "network": {"type": "switch"}})");
  EXPECT_EQ(names(cluster, cluster.device(0), cluster.host(0)), Names{"machine 0/cpu 0 -> host 0"});
  EXPECT_EQ(names(cluster, 0, 1),
            (Names{"machine 0/cpu 0 -> host 0", "machine 0/host 0 -> socket 0", "machine 0/socket 0 -> nic 0",
                   "machine 0/nic 0 -> switch", "switch -> machine 1/nic 0", "machine 1/nic 0 -> socket 0",
                   "machine 1/socket 0 -> host 0", "machine 1/host 0 -> cpu 0"}));
  EXPECT_EQ(cluster.route(cluster.device(0), cluster.device(1)).bottleneck, 10_Gbps);
}

TEST(Rails, KeepEqualGpusOnTheirOwnSwitch) {
  const Platform pods = platform_of("dgx_h100", {"machines=4"});
  const auto gpu = [&](int machine, int index) { return pods.device(8 * machine + index); };
  EXPECT_EQ(names(pods, gpu(0, 3), gpu(2, 3)),
            (Names{"machine 0/gpu 3 -> pcie switch 3", "machine 0/pcie switch 3 -> nic 3",
                   "machine 0/nic 3 -> rail 3", "rail 3 -> machine 2/nic 3",
                   "machine 2/nic 3 -> pcie switch 3", "machine 2/pcie switch 3 -> gpu 3"}));
  for (int index = 1; index < 8; ++index)
    EXPECT_FALSE(share(pods.route(gpu(0, 0), gpu(1, 0)), pods.route(gpu(0, index), gpu(1, index))));
}

TEST(Rails, AreChangedInTheOwnMachine) {
  const Platform pods = platform_of("dgx_h100", {"machines=2"});
  EXPECT_EQ(
      names(pods, 1, 8 + 5),
      (Names{"machine 0/gpu 1 -> nvswitch", "machine 0/nvswitch -> gpu 5", "machine 0/gpu 5 -> pcie switch 5",
             "machine 0/pcie switch 5 -> nic 5", "machine 0/nic 5 -> rail 5", "rail 5 -> machine 1/nic 5",
             "machine 1/nic 5 -> pcie switch 5", "machine 1/pcie switch 5 -> gpu 5"}));
}

TEST(Rails, ChangeOverPcieWhereThereIsNoNvlink) {
  const Platform machines = written(R"({"machines": 2, "machine": {
    "devices": {"type": "rtx4090", "count": 2}, "hosts": {"type": "desktop_cpu"}, "pcie": {"bandwidth": "26 GB/s"},
    "nics": {"count": 2, "bandwidth": "100 Gb/s", "gpu_direct": "socket"}}, "network": {"type": "rails"}})");
  EXPECT_EQ(names(machines, 0, 3), (Names{"machine 0/gpu 0 -> socket 0", "machine 0/socket 0 -> nic 1",
                                          "machine 0/nic 1 -> rail 1", "rail 1 -> machine 1/nic 1",
                                          "machine 1/nic 1 -> socket 0", "machine 1/socket 0 -> gpu 1"}));
}

TEST(Rails, WithSpinesHaveLeavesOfOneRail) {
  const Platform pods = platform_of(
      "dgx_h100", {R"(network={"type": "rails", "spines": 2, "machines_per_leaf": 2, "oversubscription": 4})",
                   "machines=4"});
  const auto gpu = [&](int machine, int index) { return pods.device(8 * machine + index); };
  EXPECT_EQ(names(pods, gpu(0, 1), gpu(1, 1)).size(), 6u);
  // Leaves are numbered rail by rail: rail 1 has the leaves 2 and 3.
  const Names far = names(pods, gpu(0, 1), gpu(3, 1));
  EXPECT_EQ(Names(far.begin() + 2, far.begin() + 6),
            (Names{"machine 0/nic 1 -> leaf 2", "leaf 2 -> spine 1", "spine 1 -> leaf 3",
                   "leaf 3 -> machine 3/nic 1"}));
  const Route route = pods.route(gpu(0, 1), gpu(3, 1));
  EXPECT_DOUBLE_EQ(route.bottleneck.count(), 50e9 * 0.96 * 2 / 2 / 4);
}

TEST(LeafSpine, ChoosesTheSpineByDestinationOrByHash) {
  const auto build = [](const char* routes) {
    return platform_of(
        "dgx1_v100",
        {"machines=8", R"(network={"type": "leaf_spine", "machines_per_leaf": 2, "spines": 4})", routes});
  };
  const auto spines = [](const Platform& cluster) {
    std::set<std::string> used;
    for (int to = 16; to < 64; ++to) used.insert(names(cluster, 0, to).at(3));
    return used;
  };
  const Platform fixed = build("network.routes=destination");
  EXPECT_EQ(names(fixed, 0, 16),
            (Names{"machine 0/gpu 0 -> pcie switch 0", "machine 0/pcie switch 0 -> nic 0",
                   "machine 0/nic 0 -> leaf 0", "leaf 0 -> spine 0", "spine 0 -> leaf 1",
                   "leaf 1 -> machine 2/nic 0", "machine 2/nic 0 -> pcie switch 0",
                   "machine 2/pcie switch 0 -> gpu 0"}));
  EXPECT_EQ(spines(fixed).size(), 4u);
  EXPECT_EQ(names(fixed, 1, 16).at(3), names(fixed, 9, 16).at(3));
  const Platform hashed = build("network.routes=ecmp");
  EXPECT_EQ(spines(hashed).size(), 4u);
  int differ = 0;
  const Platform other = platform_of(
      "dgx1_v100",
      {"machines=8",
       R"(network={"type": "leaf_spine", "machines_per_leaf": 2, "spines": 4, "routes": "ecmp", "seed": 1})"});
  for (int to = 16; to < 64; ++to) differ += names(hashed, 0, to).at(3) != names(other, 0, to).at(3) ? 1 : 0;
  EXPECT_GT(differ, 10);
}

TEST(FatTree, ClimbsNoHigherThanItMust) {
  const Platform cluster = written(R"({"machines": 16, "machine": {
    "devices": {"type": "t4"}, "hosts": {"type": "xeon_8168"}, "pcie": {"bandwidth": "12 GB/s"},
    "nics": {"bandwidth": "100 Gb/s", "gpu_direct": "socket"}},
    "network": {"type": "fat_tree", "children": [2, 2, 4], "parents": [2, 2]}})");
  EXPECT_EQ(names(cluster, 0, 1).size(), 6u);
  EXPECT_EQ(names(cluster, 0, 2).size(), 8u);
  EXPECT_EQ(names(cluster, 0, 5).size(), 10u);
  const Names far = names(cluster, 0, 5);
  EXPECT_EQ(
      Names(far.begin() + 2, far.begin() + 8),
      (Names{"machine 0/nic 0 -> leaf 0", "leaf 0 -> level 2 switch 0.1", "level 2 switch 0.1 -> spine 2",
             "spine 2 -> level 2 switch 1.1", "level 2 switch 1.1 -> leaf 2", "leaf 2 -> machine 5/nic 0"}));
}

TEST(Fabric, JoinsTraysAndLeavesTheRestToTheNetwork) {
  const Platform racks = written(R"({"machines": 4, "machine": {
    "devices": {"type": "gb200_gpu", "count": 4}, "hosts": {"type": "grace", "count": 2, "link": {"bandwidth": "300 GB/s"}},
    "pcie": {"bandwidth": "55 GB/s"}, "c2c": {"bandwidth": "450 GB/s"},
    "nics": {"count": 4, "bandwidth": "400 Gb/s", "gpu_direct": "socket"}},
    "fabric": {"type": "switch", "kind": "nvlink", "machines": 2, "links": 18, "bandwidth": "50 GB/s"},
    "network": {"type": "rails"}})");
  EXPECT_EQ(names(racks, 1, 6), (Names{"machine 0/gpu 1 -> nvswitch", "nvswitch -> machine 1/gpu 2"}));
  EXPECT_EQ(racks.route(racks.device(1), racks.device(6)).bottleneck, 900_GBps);
  EXPECT_EQ(names(racks, 9, 14), (Names{"machine 2/gpu 1 -> nvswitch", "nvswitch -> machine 3/gpu 2"}));
  EXPECT_EQ(names(racks, 0, 15), (Names{"machine 0/gpu 0 -> nvswitch", "nvswitch -> machine 0/gpu 3",
                                        "machine 0/gpu 3 -> socket 1", "machine 0/socket 1 -> nic 3",
                                        "machine 0/nic 3 -> rail 3", "rail 3 -> machine 3/nic 3",
                                        "machine 3/nic 3 -> socket 1", "machine 3/socket 1 -> gpu 3"}));
}

TEST(Fabric, CarriesHostsWhereThereIsNoNetwork) {
  const Platform ring = written(R"({"machines": 3, "machine": {
    "devices": {"type": "t4"}, "hosts": {"type": "xeon_8168"}, "pcie": {"bandwidth": "12 GB/s"}},
    "fabric": {"type": "ring", "bandwidth": "10 GB/s"}})");
  EXPECT_EQ(names(ring, ring.host(0), ring.host(2)),
            (Names{"machine 0/host 0 -> socket 0", "machine 0/socket 0 -> gpu 0",
                   "machine 0/gpu 0 -> machine 2/gpu 0", "machine 2/gpu 0 -> socket 0",
                   "machine 2/socket 0 -> host 0"}));
  EXPECT_EQ(names(ring, ring.device(0), ring.host(1)).size(), 3u);
}

TEST(Tpu, JoinsChipsByIciAndSlicesByHosts) {
  const Platform pod = platform_of("tpu_v4", {"slice=2x2x2", "slices=2"});
  EXPECT_EQ(pod.devices(), 16);
  EXPECT_EQ(pod.machines(), 4);
  EXPECT_EQ(names(pod, 0, 1), Names{"machine 0/tpu 0 -> machine 0/tpu 1"});
  EXPECT_EQ(pod.link(pod.route(pod.device(0), pod.device(1)).links[0]).kind, LinkKind::ici);
  const Names far = names(pod, 0, 15);
  EXPECT_EQ(far.front(), "machine 0/tpu 0 -> socket 0");
  EXPECT_EQ(far.back(), "machine 3/socket 0 -> tpu 3");
  EXPECT_EQ(pod.route(pod.device(0), pod.device(15)).bottleneck, 16_GBps);
}

TEST(Devices, OfALargerMachineAreTheFirstOnes) {
  const Platform half = platform_of("dgx1_v100", {"devices=4"});
  EXPECT_EQ(half.devices(), 4);
  EXPECT_EQ(names(half, 0, 3), Names{"machine 0/gpu 0 -> gpu 3"});
  EXPECT_EQ(names(half, half.device(3), half.host(0)).at(0), "machine 0/gpu 3 -> pcie switch 1");
}

class EveryPlatform : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlatform, JoinsAllPairs) {
  const Platform platform = platform_of(GetParam());
  const std::vector<Endpoint> all = endpoints(platform);
  for (const Endpoint from : all) {
    for (const Endpoint to : all) {
      const Route route = platform.route(from, to);
      if (from == to) {
        EXPECT_TRUE(route.links.empty());
        continue;
      }
      ASSERT_FALSE(route.links.empty());
      Seconds latency{};
      BytesPerSecond bottleneck = platform.link(route.links[0]).bandwidth;
      for (const LinkId link : route.links) {
        latency += platform.link(link).latency;
        bottleneck = std::min(bottleneck, platform.link(link).bandwidth);
        EXPECT_GT(platform.link(link).bandwidth, BytesPerSecond(0));
      }
      EXPECT_EQ(route.latency, latency);
      EXPECT_EQ(route.bottleneck, bottleneck);
      EXPECT_EQ(std::set<LinkId>(route.links.begin(), route.links.end()).size(), route.links.size());
      EXPECT_EQ(platform.name(route.links[0]).find(platform.name(from) + " -> "), 0u);
    }
  }
}

// Only inside a machine: between machines the sender changes to the rail of the destination, so the route
// back may have other links.
TEST_P(EveryPlatform, ReturnsByTheSameNumberOfLinksInAMachine) {
  const Platform platform = platform_of(GetParam());
  for (const Endpoint from : endpoints(platform))
    for (const Endpoint to : endpoints(platform))
      if (platform.machine_of(from) == platform.machine_of(to)) {
        EXPECT_EQ(platform.route(from, to).links.size(), platform.route(to, from).links.size());
      }
}

TEST_P(EveryPlatform, GivesEveryLinkItsOwnName) {
  const Platform platform = platform_of(GetParam());
  std::set<std::string> seen;
  for (int link = 0; link < platform.links(); ++link) seen.insert(platform.name(LinkId(link)));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(platform.links()));
}

TEST_P(EveryPlatform, HasNoIdleLink) { EXPECT_TRUE(loaded(GetParam()).warnings.empty()); }

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const KnownPlatform& known : known_platforms()) all.push_back(known.id);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Platforms, EveryPlatform, testing::ValuesIn(ids()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace wt::platform
