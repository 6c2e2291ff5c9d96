// Claims: a platform of unlike machines has the parts of each, numbered group by group; its routes are those of
// the machines at both ends, joined by the network, and the narrower NIC bounds them; a group alone is the
// platform of its file; what cannot be joined is refused (errors/group*.txt).

#include <gtest/gtest.h>

#include "base/quantity_literals.h"
#include "platform/group.h"
#include "platform/platforms.h"
#include "platform/summary.h"

namespace wt::platform {
namespace {

using Names = std::vector<std::string>;

constexpr const char* gpus_and_servers = R"({
  "machines": [{"file": "dgx1_p100", "count": 2}, {"file": "cpu_server", "count": 3}],
  "network": {"type": "switch"}
})";

// Two DGX-1 with 8 GPUs, 2 sockets and 4 NICs each, then three servers with 1 CPU device, 2 sockets and 1 NIC.
TEST(UnlikeMachines, HaveThePartsOfEach) {
  const Platform platform = written(gpus_and_servers);
  EXPECT_EQ(platform.machines(), 5);
  EXPECT_EQ(platform.devices(), 2 * 8 + 3 * 1);
  EXPECT_EQ(platform.hosts(), 2 * 2 + 3 * 2);
  // Connections of a DGX-1: 16 of NVLink, 8 GPUs, 4 NICs and 4 switches on PCIe, 1 between the sockets, 2 to
  // memory. Of a server: its CPU, its NIC, 1 between the sockets, 2 to memory. Each is a link in both directions.
  constexpr int of_dgx = 2 * (16 + 8 + 4 + 4 + 1 + 2), of_server = 2 * (1 + 1 + 1 + 2);
  EXPECT_EQ(platform.links(), 2 * of_dgx + 3 * of_server + 2 * (2 * 4 + 3 * 1));
  EXPECT_EQ(platform.switches(), 0);  // Ethernet does not add, so the whole network doesn't.
}

TEST(UnlikeMachines, AreNumberedGroupByGroup) {
  const Platform platform = written(gpus_and_servers);
  EXPECT_EQ(platform.name(platform.device(15)), "machine 1/gpu 7");
  EXPECT_EQ(platform.name(platform.device(16)), "machine 2/cpu 0");
  EXPECT_EQ(platform.name(platform.device(18)), "machine 4/cpu 0");
  EXPECT_EQ(platform.name(platform.host(3)), "machine 1/host 1");
  EXPECT_EQ(platform.name(platform.host(4)), "machine 2/host 0");
  EXPECT_EQ(platform.name(platform.host(9)), "machine 4/host 1");
  EXPECT_EQ(platform.devices_of(1).front(), platform.device(8));
  EXPECT_EQ(platform.devices_of(3), std::vector{platform.device(17)});
  EXPECT_EQ(platform.hosts_of(3), (std::vector{platform.host(6), platform.host(7)}));
  EXPECT_EQ(platform.host_of(platform.device(13)), platform.host(3));
  EXPECT_EQ(platform.host_of(platform.device(17)), platform.host(6));
  std::vector<int> groups;
  for (int machine = 0; machine < 5; ++machine) groups.push_back(platform.group_of(machine));
  EXPECT_EQ(groups, (std::vector{0, 0, 1, 1, 1}));
  for (const Endpoint endpoint : endpoints(platform)) {
    const std::int32_t machine = platform.machine_of(endpoint);
    EXPECT_EQ(platform.name(endpoint).substr(0, 9), "machine " + std::to_string(machine));
    EXPECT_EQ(platform.type(endpoint).id, platform.group_of(machine) == 1 ? "xeon_8168"
                                          : platform.is_device(endpoint)  ? "p100_sxm2"
                                                                          : "xeon_e5_2698_v4");
  }
  for (int link = 0; link < platform.links(); ++link) {
    const std::int32_t machine = platform.machine_of(LinkId(link));
    if (machine < 0) continue;
    EXPECT_EQ(platform.name(LinkId(link)).substr(0, 9), "machine " + std::to_string(machine));
  }
}

TEST(UnlikeMachines, AreJoinedAtTheRateOfTheNarrowerNic) {
  const Platform platform = written(gpus_and_servers);
  const Endpoint gpu = platform.device(9), server = platform.hosts_of(3).front();
  EXPECT_EQ(names(platform, gpu, server),
            (Names{"machine 1/gpu 1 -> pcie switch 0", "machine 1/pcie switch 0 -> nic 0",
                   "machine 1/nic 0 -> switch", "switch -> machine 3/nic 0", "machine 3/nic 0 -> socket 0",
                   "machine 3/socket 0 -> host 0"}));
  // 25 Gb/s of Ethernet with 0.949 of it payload; two crossings of PCIe on the way out and one on the way in,
  // and one of either NIC's wire.
  EXPECT_DOUBLE_EQ(platform.route(gpu, server).bottleneck.count(), 25e9 / 8 * 0.949);
  EXPECT_DOUBLE_EQ(platform.route(server, gpu).bottleneck.count(), 25e9 / 8 * 0.949);
  EXPECT_NEAR(platform.route(gpu, server).latency.count(), (2 * 0.5 + 0.5 + 1.5 + 0.5) * 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(platform.route(gpu, platform.device(0)).bottleneck.count(), 100e9 / 8 * 0.92);
}

TEST(UnlikeMachines, EveryPairIsJoinedByTheLinksInOrder) {
  const Platform platform = written(gpus_and_servers);
  const std::vector<Endpoint> all = endpoints(platform);
  for (const Endpoint from : all)
    for (const Endpoint to : all) {
      if (from == to) continue;
      const Route route = platform.route(from, to);
      Seconds latency{};
      BytesPerSecond least(1e30);
      for (const LinkId link : route.links) {
        latency += platform.link(link).latency;
        least = std::min(least, platform.link(link).bandwidth);
      }
      EXPECT_DOUBLE_EQ(latency.count(), route.latency.count());
      EXPECT_EQ(least, route.bottleneck);
    }
}

// A group of one file is that file's platform, part by part and route by route.
TEST(UnlikeMachines, OfOneKindAreThePlatformOfTheirFile) {
  const Platform plain = platform_of("dgx1_v100", {"machines=3"});
  for (const char* text : {R"({"machines": [{"file": "dgx1_v100", "count": 3}]})",
                           R"({"machines": [{"file": "dgx1"}, {"file": "dgx1_v100", "count": 2}]})"}) {
    SCOPED_TRACE(text);
    const Platform grouped = written(text);
    const std::vector<Endpoint> all = endpoints(plain);
    EXPECT_EQ(endpoints(grouped), all);
    EXPECT_EQ(grouped.links(), plain.links());
    EXPECT_EQ(grouped.switches(), plain.switches());
    for (const Endpoint from : all)
      for (const Endpoint to : all) {
        if (from == to) continue;
        EXPECT_EQ(names(grouped, from, to), names(plain, from, to));
      }
  }
}

TEST(UnlikeMachines, MayKeepTheFirstDevicesOfAFile) {
  const Platform platform =
      written(R"({"machines": [{"file": "dgx1_v100", "devices": 4}, {"file": "dgx1_p100", "count": 2}]})");
  EXPECT_EQ(platform.devices(), 4 + 2 * 8);
  EXPECT_EQ(platform.name(platform.device(3)), "machine 0/gpu 3");
  EXPECT_EQ(platform.name(platform.device(4)), "machine 1/gpu 0");
}

TEST(UnlikeMachines, TakeTheFirstNetworkOfTheirFilesAndSaySo) {
  const Loaded taken = from_json(json::parse(
      R"({"machines": [{"file": "workstation_8x4090_2socket"}, {"file": "cpu_server"}]})", "mine.json"));
  ASSERT_EQ(taken.assumptions.size(), 1u);
  EXPECT_EQ(
      taken.assumptions[0].fact,
      "the platform has no \"network\": that of workstation_8x4090_2socket, the first group that has one, is "
      "assumed to join the NICs of all groups");
  const Loaded own = from_json(json::parse(gpus_and_servers, "mine.json"));
  EXPECT_TRUE(own.assumptions.empty());
  EXPECT_TRUE(taken.warnings.empty());
}

// A port of the network's own rate is no faster than the NIC at its end.
TEST(UnlikeMachines, HaveNoPortFasterThanTheirNic) {
  const Platform platform = written(R"({
    "machines": [{"file": "dgx1_p100"}, {"file": "cpu_server"}],
    "network": {"type": "switch", "bandwidth": "40 Gb/s"}})");
  EXPECT_DOUBLE_EQ(platform.route(platform.device(0), platform.device(8)).bottleneck.count(),
                   25e9 / 8 * 0.949);
  const auto out = [&](std::int32_t link) { return platform.link(LinkId(link)).bandwidth.count(); };
  EXPECT_DOUBLE_EQ(out(platform.links() - 10), 5e9);  // the first NIC of the DGX-1
}

TEST(UnlikeMachines, OnLeavesAndSpinesNeedTheUplinkAlone) {
  const Platform platform = written(R"({
    "machines": [{"file": "cpu_cluster_10gbe", "count": 2}, {"file": "cpu_server", "count": 2}],
    "network": {"type": "leaf_spine", "machines_per_leaf": 2, "spines": 1, "uplink": {"bandwidth": "2 GB/s"}}})");
  EXPECT_DOUBLE_EQ(platform.route(platform.device(2), platform.device(3)).bottleneck.count(),
                   25e9 / 8 * 0.949);
  EXPECT_DOUBLE_EQ(platform.route(platform.device(3), platform.device(0)).bottleneck.count(),
                   10e9 / 8 * 0.949);
  EXPECT_EQ(names(platform, 0, 2)[3], "machine 0/nic 0 -> leaf 0");
}

TEST(UnlikeMachines, HaveTheSwitchesThatAddOfTheMachinesThatHaveThem) {
  const Platform platform = written(R"({
    "machines": [{"file": "dgx_a100"}, {"file": "dgx_h100", "count": 2}, {"file": "cpu_server"}],
    "network": {"type": "switch"}})");
  EXPECT_EQ(platform.switches(), 2);
  EXPECT_FALSE(platform.adder_of(platform.device(0)));
  EXPECT_EQ(platform.adder_of(platform.device(8)), platform.switch_at(0));
  EXPECT_EQ(platform.adder_of(platform.device(16)), platform.switch_at(1));
  EXPECT_EQ(platform.machine_of(platform.switch_at(1)), 2);
  EXPECT_EQ(platform.name(platform.switch_at(1)), "machine 2/nvswitch");
  EXPECT_EQ(platform.name(platform.route(platform.device(17), platform.switch_at(1)).links.at(0)),
            "machine 2/gpu 1 -> nvswitch");
  EXPECT_FALSE(platform.joins(platform.device(8), platform.switch_at(1)));
}

// Rates of a machine's cut: what its NICs send. Those of one group are computed once.
TEST(UnlikeMachines, SendAsFastAsTheirOwnNics) {
  const Platform platform = written(gpus_and_servers);
  std::vector<Endpoint> devices;
  for (int device = 0; device < platform.devices(); ++device) devices.push_back(platform.device(device));
  const std::vector<Group> groups = groups_by_machine(platform, devices);
  ASSERT_EQ(groups.size(), 5u);
  for (const std::size_t machine : {0u, 1u})
    EXPECT_DOUBLE_EQ(groups[machine].out.count(), 4 * 100e9 / 8 * 0.92);
  for (const std::size_t machine : {2u, 3u, 4u})
    EXPECT_DOUBLE_EQ(groups[machine].in.count(), 25e9 / 8 * 0.949);
}

TEST(UnlikeMachines, AreSummarisedByTheirSlowestFigures) {
  const Platform platform = written(R"({
    "machines": [{"file": "dgx1_v100"}, {"file": "dgx1_p100"}, {"file": "cpu_server"}],
    "network": {"type": "switch"}})");
  std::vector<Endpoint> gpus;
  for (int device = 0; device < 16; ++device) gpus.push_back(platform.device(device));
  const Summary summary = summary_of(platform, gpus);
  EXPECT_EQ(summary.nodes, 2);
  EXPECT_EQ(summary.per_node, 8);
  ASSERT_NE(summary.device, nullptr);
  EXPECT_EQ(summary.device->id, "p100_sxm2");
  EXPECT_EQ(summary.maker, Maker::nvidia);
  EXPECT_EQ(summary.link, BytesPerSecond(20e9));
  EXPECT_EQ(summary.slowest, BytesPerSecond(18e9));
  gpus.push_back(platform.device(16));
  const Summary with_server = summary_of(platform, gpus);
  EXPECT_EQ(with_server.device, nullptr);
  EXPECT_EQ(with_server.per_node, 0);
  EXPECT_EQ(with_server.nics, 1);
  EXPECT_DOUBLE_EQ(with_server.network.count(), 25e9 / 8 * 0.949);
  EXPECT_EQ(with_server.nic_type, NicType::ethernet);
  EXPECT_FALSE(with_server.gpu_direct);
}

TEST(UnlikeMachines, CountsInTheListCanBeSet) {
  const Loaded loaded = from_json(
      json::parse(R"({"file": ")" + std::string(WT_TEST_DATA) + R"(/platform/data/gpus_and_servers.json",
          "set": {"machines.1.count": 5}})",
                  "test.json"));
  EXPECT_EQ(loaded.platform.machines(), 2 + 5);
}

}  // namespace
}  // namespace wt::platform
