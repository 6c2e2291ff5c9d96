// Claim: switches that add are endpoints. The routes to and from them are parts of the routes between
// devices, and the endpoints exist exactly if the hardware can add: NVLink switches of the third generation
// on, and InfiniBand switches in trees of one or two levels.

#include <gtest/gtest.h>

#include "platform/formats/export_simgrid.h"
#include "platform/platforms.h"
#include "platform/switch_tree.h"

namespace wt::platform {
namespace {

std::vector<LinkId> joined(std::initializer_list<Route> routes) {
  std::vector<LinkId> links;
  for (const Route& route : routes) links.insert(links.end(), route.links.begin(), route.links.end());
  return links;
}

std::vector<std::string> names_of(const Platform& platform, const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> names;
  for (const Endpoint endpoint : endpoints) names.push_back(platform.name(endpoint));
  return names;
}

std::string refusal(const Platform& platform, Endpoint from, Endpoint to) {
  try {
    platform.route(from, to);
  } catch (const InputError& error) {
    return error.problems()[0].fact;
  }
  return "";
}

// ---- NVLink

TEST(NvlinkSwitches, AreEachMachinesOwn) {
  const Platform platform = platform_of("dgx_h100", {"machines=2", "machine.nics.type=roce"});
  ASSERT_EQ(platform.switches(), 2);
  const Endpoint adder = platform.switch_at(1);
  EXPECT_EQ(platform.adder_of(platform.device(0)), platform.switch_at(0));
  EXPECT_EQ(platform.adder_of(platform.device(9)), adder);
  EXPECT_EQ(platform.name(adder), "machine 1/nvswitch");
  EXPECT_EQ(platform.machine_of(adder), 1);
  EXPECT_TRUE(platform.is_switch(adder));
  EXPECT_FALSE(platform.is_switch(platform.host(3)));
  EXPECT_THROW(platform.type(adder), InternalError);
  EXPECT_EQ(refusal(platform, platform.device(0), adder),
            "there is no route from machine 0/gpu 0 to machine 1/nvswitch");
  EXPECT_EQ(refusal(platform, adder, platform.host(2)),
            "there is no route from machine 1/nvswitch to machine 1/host 0");
}

// Expects that the routes to and from the adder are the two halves of the route between the devices.
void expect_halves(const Platform& platform, Endpoint from, Endpoint to) {
  const Endpoint adder = platform.adder_of(from).value();
  const Route up = platform.route(from, adder);
  const Route down = platform.route(adder, to);
  const Route whole = platform.route(from, to);
  EXPECT_EQ(joined({up, down}), whole.links);
  EXPECT_DOUBLE_EQ(up.latency.count(), whole.latency.count() / 2);
  EXPECT_DOUBLE_EQ(down.latency.count(), whole.latency.count() / 2);
  EXPECT_EQ(up.bottleneck, whole.bottleneck);
  EXPECT_EQ(up.links.size(), 1u);
}

TEST(NvlinkSwitches, LieHalfWayBetweenDevices) {
  const Platform two = platform_of("dgx_h100", {"machines=2"});
  expect_halves(two, two.device(9), two.device(14));
  EXPECT_EQ(names(two, two.device(9), two.switch_at(1)),
            std::vector<std::string>{"machine 1/gpu 1 -> nvswitch"});
  const Platform rack = platform_of("gb200_nvl72");
  expect_halves(rack, rack.device(0), rack.device(71));
}

TEST(NvlinkSwitches, OfADomainAreOne) {
  const Platform racks = platform_of("gb200_nvl72", {"machines=36", "machine.nics.type=unknown"});
  ASSERT_EQ(racks.switches(), 2);
  EXPECT_EQ(racks.adder_of(racks.device(71)), racks.switch_at(0));
  EXPECT_EQ(racks.adder_of(racks.device(72)), racks.switch_at(1));
  EXPECT_EQ(racks.name(racks.switch_at(1)), "nvswitch 1");
  EXPECT_EQ(racks.machine_of(racks.switch_at(1)), -1);
  EXPECT_EQ(platform_of("gb200_nvl72").name(platform_of("gb200_nvl72").switch_at(0)), "nvswitch");
  expect_halves(racks, racks.device(80), racks.device(143));
  EXPECT_EQ(refusal(racks, racks.device(0), racks.switch_at(1)),
            "there is no route from machine 0/gpu 0 to nvswitch 1");
}

TEST(NvlinkSwitches, AddFromHopperOn) {
  for (const char* id : {"dgx_h100", "dgx_h200", "dgx_b200", "gb200_nvl72", "gce_a4x", "aws_p5"})
    EXPECT_TRUE(platform_of(id).adder_of(Endpoint(0))) << id;
  for (const char* id : {"dgx2", "dgx_a100", "dgx1_v100", "hgx_mi300x", "ideal_switch", "tpu_v4", "laptop"}) {
    const Platform platform = platform_of(id);
    EXPECT_EQ(platform.switches(), 0) << id;
    EXPECT_EQ(platform.adder_of(platform.device(0)), std::nullopt) << id;
  }
}

TEST(NvlinkSwitches, AreNoHostsOfAnExport) {
  const std::string text = to_simgrid(platform_of("dgx_h100", {"machines=2"}));
  EXPECT_NE(text.find("<host id=\"machine 1/gpu 7\""), std::string::npos);
  EXPECT_EQ(text.find("<host id=\"machine 1/nvswitch\""), std::string::npos);
}

// ---- The network

std::vector<Endpoint> devices_of(const Platform& platform, std::initializer_list<int> indices) {
  std::vector<Endpoint> devices;
  for (const int index : indices) devices.push_back(platform.device(index));
  return devices;
}

// Four machines on rails, two on each leaf, with two spines.
Platform rails() {
  return platform_of("dgx_a100",
                     {"machines=4", R"(network={"type": "rails", "spines": 2, "machines_per_leaf": 2})"});
}

TEST(NetworkSwitches, OfARailAreATreeWithARoot) {
  const Platform platform = rails();
  EXPECT_EQ(platform.switches(), 8 * 2 + 2);
  const std::vector<Endpoint> devices = devices_of(platform, {3, 11, 19, 27});
  const SwitchTree tree = adding_switches(platform, devices).value();
  EXPECT_EQ(names_of(platform, tree.leaves), (std::vector<std::string>{"leaf 6", "leaf 7"}));
  EXPECT_EQ(tree.leaf_of_device, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(platform.name(tree.root.value()), "spine 0");
  EXPECT_EQ(platform.name(adding_switches(platform, devices, {.spine = 3})->root.value()), "spine 1");
  EXPECT_EQ(platform.machine_of(tree.leaves[0]), -1);
}

// Each NIC of a machine is attached to a leaf of its rail, which all devices of the machine reach. Spines are
// joined only with leaves.
TEST(NetworkSwitches, AreJoinedWhereARouteLeads) {
  const Platform nvlink = platform_of("dgx_h100", {"machines=2", "machine.nics.type=roce"});
  for (const auto& [platform, joined_with_a_device] : {std::pair(rails(), 8), {nvlink, 1}}) {
    for (std::int32_t device = 0; device < platform.devices(); ++device) {
      int count = 0;
      for (std::int32_t index = 0; index < platform.switches(); ++index) {
        const Endpoint from = platform.device(device), to = platform.switch_at(index);
        EXPECT_EQ(platform.joins(from, to), refusal(platform, from, to).empty());
        EXPECT_EQ(platform.joins(to, from), refusal(platform, to, from).empty());
        if (platform.joins(from, to)) ++count;
      }
      EXPECT_EQ(count, joined_with_a_device) << platform.name(platform.device(device));
    }
    EXPECT_TRUE(platform.joins(platform.switch_at(0), platform.switch_at(0)));  // without a link
    EXPECT_TRUE(platform.joins(platform.device(0), platform.host(0)));
  }
}

TEST(NetworkSwitches, LieOnTheWaysBetweenDevices) {
  const Platform platform = rails();
  const SwitchTree tree = adding_switches(platform, devices_of(platform, {3, 19})).value();
  EXPECT_EQ(names(platform, platform.device(3), tree.leaves[0]),
            (std::vector<std::string>{"machine 0/gpu 3 -> pcie switch 1", "machine 0/pcie switch 1 -> nic 3",
                                      "machine 0/nic 3 -> leaf 6"}));
  EXPECT_EQ(joined({platform.route(platform.device(3), tree.leaves[0]),
                    platform.route(tree.leaves[0], *tree.root), platform.route(*tree.root, tree.leaves[1]),
                    platform.route(tree.leaves[1], platform.device(19))}),
            platform.route(platform.device(3), platform.device(19)).links);
  EXPECT_EQ(refusal(platform, platform.device(3), tree.leaves[1]),
            "there is no route from machine 0/gpu 3 to leaf 7");
  EXPECT_EQ(refusal(platform, tree.leaves[0], tree.leaves[1]), "there is no route from leaf 6 to leaf 7");
  EXPECT_EQ(refusal(platform, *tree.root, platform.device(0)),
            "there is no route from spine 0 to machine 0/gpu 0");
}

TEST(NetworkSwitches, AreReachedByTheDeviceNextToTheRailsNic) {
  const Platform platform = rails();
  const std::vector<Endpoint> devices = devices_of(platform, {0, 8});
  const SwitchTree tree = adding_switches(platform, devices, {.rail = 5}).value();
  ASSERT_EQ(names_of(platform, tree.leaves), std::vector<std::string>{"leaf 10"});
  EXPECT_EQ(tree.root, std::nullopt);
  EXPECT_EQ(joined({platform.route(devices[0], tree.leaves[0]), platform.route(tree.leaves[0], devices[1])}),
            joined({platform.route(devices[0], platform.device(5)),
                    platform.route(platform.device(5), tree.leaves[0]),
                    platform.route(tree.leaves[0], platform.device(13)),
                    platform.route(platform.device(13), devices[1])}));
}

TEST(NetworkSwitches, AreOneForEachRailWithoutSpines) {
  const Platform platform = platform_of("dgx_h100", {"machines=2"});
  EXPECT_EQ(platform.switches(), 2 + 8);
  const SwitchTree tree = adding_switches(platform, devices_of(platform, {4, 12})).value();
  EXPECT_EQ(names_of(platform, tree.leaves), std::vector<std::string>{"rail 4"});
  EXPECT_EQ(joined({platform.route(platform.device(4), tree.leaves[0]),
                    platform.route(tree.leaves[0], platform.device(12))}),
            platform.route(platform.device(4), platform.device(12)).links);
  EXPECT_FALSE(adding_switches(platform, devices_of(platform, {4, 13})));
  EXPECT_TRUE(adding_switches(platform, devices_of(platform, {4, 13}), {.rail = 0}));
  EXPECT_FALSE(adding_switches(platform, devices_of(platform, {4, 13}), {.rail = 8}));
}

TEST(NetworkSwitches, AreOneWhereTheNetworkIsOneSwitch) {
  const Platform platform = platform_of("dgx1_v100", {"machines=2"});
  const std::vector<Endpoint> devices = endpoints(platform);
  const SwitchTree tree =
      adding_switches(platform, {devices.data(), static_cast<std::size_t>(platform.devices())}).value();
  EXPECT_EQ(names_of(platform, tree.leaves), std::vector<std::string>{"switch"});
  EXPECT_EQ(tree.leaf_of_device, std::vector<std::int32_t>(16, 0));
  for (int device = 0; device < 16; ++device)
    EXPECT_EQ(joined({platform.route(platform.device(device), tree.leaves[0]),
                      platform.route(tree.leaves[0], platform.device((device + 8) % 16))}),
              platform.route(platform.device(device), platform.device((device + 8) % 16)).links);
}

TEST(NetworkSwitches, DontAddInHighTreesNorWithoutInfiniband) {
  const auto tree_of = [](std::initializer_list<const char*> parameters) {
    const Platform platform = platform_of("dgx1_v100", parameters);
    return adding_switches(platform, devices_of(platform, {0}));
  };
  EXPECT_TRUE(tree_of({"machines=4", R"(network={"type": "fat_tree", "children": [8, 2], "parents": [2]})"}));
  EXPECT_FALSE(
      tree_of({"machines=4", R"(network={"type": "fat_tree", "children": [4, 2, 2], "parents": [2, 2]})"}));
  EXPECT_FALSE(tree_of({"machines=4", R"(network={"type": "torus"})"}));
  EXPECT_FALSE(tree_of({"machines=4", "machine.nics.type=roce"}));
  EXPECT_FALSE(tree_of({}));
  EXPECT_EQ(platform_of("aws_p5", {"machines=2"}).switches(), 2);
}

}  // namespace
}  // namespace wt::platform
