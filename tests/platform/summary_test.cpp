// Claim: the summary of a group of devices has the numbers of their machines' data sheets and the measured
// rates, worked out by hand here.

#include "platform/summary.h"

#include <gtest/gtest.h>

#include "platform/platforms.h"
#include "platform/slice.h"

namespace wt::platform {
namespace {

std::vector<Endpoint> all_of(const Platform& platform) {
  std::vector<Endpoint> devices = endpoints(platform);
  devices.resize(static_cast<std::size_t>(platform.devices()));
  return devices;
}

std::string print(const Summary& summary) {
  const auto rate = [](BytesPerSecond value) { return value.count() / 1e9; };
  return fmt::format(
      "{} machines, {} nodes of {} | {} {} | {} {} x {:g}, {:g}, slowest {:g}{} | {} x {:g}, {:g} {}{} | {} "
      "{}",
      summary.machines, summary.nodes, summary.per_node, name(summary.maker),
      summary.device ? summary.device->generation : "?", name(summary.inside), summary.links,
      rate(summary.link), rate(summary.device_out), rate(summary.slowest),
      summary.adds_in_switch ? ", adds" : "", summary.nics, rate(summary.nic), rate(summary.network),
      name(summary.nic_type), summary.gpu_direct ? ", direct" : "", name(summary.host_maker),
      summary.host->id);
}

std::string summary(const std::string& id, std::initializer_list<const char*> parameters = {}) {
  const Platform platform = platform_of(id, parameters);
  return print(summary_of(platform, all_of(platform)));
}

TEST(Summary, OfMachinesWithNvlinkSwitches) {
  EXPECT_EQ(summary("dgx_a100"),
            "1 machines, 1 nodes of 8 | nvidia ampere | nvswitch 12 x 25, 234, slowest 234 | 8 x 25, 188 "
            "infiniband, direct | amd epyc_7742");
  EXPECT_EQ(
      summary("dgx_h100", {"machines=2"}),
      "2 machines, 2 nodes of 8 | nvidia hopper | nvswitch 18 x 25, 369, slowest 369, adds | 8 x 50, 384 "
      "infiniband, direct | intel xeon_8480c");
  EXPECT_EQ(
      summary("dgx_b200", {"machines=2"}),
      "2 machines, 2 nodes of 8 | nvidia blackwell | nvswitch 18 x 50, 684, slowest 684, adds | 8 x 50, "
      "384 infiniband, direct | intel xeon_8480c");
  EXPECT_EQ(
      summary("aws_p5"),
      "1 machines, 1 nodes of 8 | nvidia hopper | nvswitch 18 x 25, 369, slowest 369, adds | 8 x 50, 384 "
      "efa, direct | amd epyc_7742");
}

// Libraries use the ports near one device as one, however the file counts them.
TEST(Summary, OfSeveralNicsForEachDeviceCountsThemAsOne) {
  const auto with = [](const char* count, const char* links) {
    return summary("dgx_h100", {"machines=2", "machine.nics.bandwidth=\"200 Gb/s\"", count, links});
  };
  EXPECT_EQ(with("machine.nics.count=16", "machine.nics.links=1"),
            with("machine.nics.count=8", "machine.nics.links=2"));
  EXPECT_NE(with("machine.nics.count=16", "machine.nics.links=1"),
            with("machine.nics.count=8", "machine.nics.links=1"));
}

TEST(Summary, OfAnNvlinkDomainIsOneNode) {
  EXPECT_EQ(summary("gb200_nvl72"),
            "18 machines, 1 nodes of 72 | nvidia blackwell | nvswitch 18 x 50, 684, slowest 684, adds | 72 x "
            "50, 3456 infiniband, direct | nvidia grace");
  EXPECT_EQ(summary("gb200_nvl72", {"machines=36"}),
            "36 machines, 2 nodes of 72 | nvidia blackwell | nvswitch 18 x 50, 684, slowest 684, adds | 72 x "
            "50, 3456 infiniband, direct | nvidia grace");
}

TEST(Summary, OfCubeMeshes) {
  EXPECT_EQ(summary("dgx1_v100"),
            "1 machines, 1 nodes of 8 | nvidia volta | nvlink_mesh 6 x 25, 132, slowest 22 | 4 x 12.5, 46 "
            "infiniband, direct | intel xeon_e5_2698_v4");
  EXPECT_EQ(summary("aws_p3dn"),
            "1 machines, 1 nodes of 8 | nvidia volta | nvlink_mesh 6 x 25, 132, slowest 22 | 1 x 12.5, 9 efa "
            "| intel xeon_8175");
  EXPECT_EQ(summary("dgx1_v100", {"machines=2", "machine.nics.count=2", "machine.nics.type=roce"}),
            "2 machines, 2 nodes of 8 | nvidia volta | nvlink_mesh 6 x 25, 132, slowest 22 | 2 x 12.5, 23 "
            "roce, direct | intel xeon_e5_2698_v4");
}

TEST(Summary, OfPcieMachines) {
  EXPECT_EQ(
      summary("workstation_8x4090_2socket"),
      "1 machines, 1 nodes of 8 | nvidia ada | host_staged 1 x 26, 26, slowest 16 | 1 x 6.25, 5.625 roce "
      "| amd epyc_7742");
  EXPECT_EQ(summary("workstation_8x2080ti_2socket"),
            "1 machines, 1 nodes of 8 | nvidia turing | host_staged 1 x 12.35, 12.35, slowest 10 | 0 x 0, 0 "
            "unknown | intel xeon_8168");
  EXPECT_EQ(
      summary("workstation_4xa100_pcie"),
      "1 machines, 1 nodes of 4 | nvidia ampere | pcie_peer 1 x 26, 26, slowest 26 | 0 x 0, 0 unknown | "
      "amd epyc_7742");
  EXPECT_EQ(
      summary("cpu_10gbe"),
      "4 machines, 4 nodes of 1 | intel host | alone 0 x 0, 0, slowest 0 | 1 x 1.25, 1.18625 ethernet | "
      "intel xeon_e5_2698_v4");
  EXPECT_EQ(summary("mi300x"),
            "1 machines, 1 nodes of 8 | amd cdna3 | nvlink_mesh 7 x 64, 313.6, slowest 44.8 | 8 x 50, 384 "
            "roce, direct | amd epyc_7742");
}

TEST(Summary, OfIdealFabricsAndSlices) {
  EXPECT_EQ(summary("ideal_switch"),
            "1 machines, 1 nodes of 4 | nvidia ampere | ideal 1 x 100, 100, slowest 100 | 1 x 12.5, 12.5 "
            "unknown | amd epyc_7742");
  EXPECT_EQ(
      summary("ideal_ring"),
      "1 machines, 1 nodes of 8 | nvidia ampere | ideal 2 x 50, 100, slowest 50 | 1 x 12.5, 12.5 unknown "
      "| amd epyc_7742");
  EXPECT_EQ(summary("ideal_torus"),
            "1 machines, 1 nodes of 16 | nvidia ampere | ideal 4 x 25, 100, slowest 25 | 1 x 12.5, 12.5 "
            "unknown | amd epyc_7742");
  EXPECT_EQ(
      summary("tpu_v4", {"slice=4x4x4"}),
      "16 machines, 1 nodes of 64 | google tpu_v4 | ici 6 x 45, 270, slowest 45 | 16 x 25, 400 unknown | "
      "amd epyc_7742");
  EXPECT_EQ(
      summary("tpu_v4", {"slices=2"}),
      "2 machines, 2 nodes of 4 | google tpu_v4 | ici 2 x 45, 90, slowest 45 | 1 x 25, 25 unknown | amd "
      "epyc_7742");
  const Platform slice = platform_of("tpu_v4", {"slice=4x4x4"});
  EXPECT_EQ(summary_of(slice, all_of(slice)).slice, slice.slice());
  EXPECT_EQ(slice.slice()->chips, 64);
}

TEST(Summary, OfAPartSaysWhatThePartHas) {
  const Platform dgx1 = platform_of("dgx1_v100");
  const auto links = [&](std::initializer_list<int> indices) {
    std::vector<Endpoint> devices;
    for (const int index : indices) devices.push_back(dgx1.device(index));
    return summary_of(dgx1, devices).links;
  };
  EXPECT_EQ(links({0, 1}), 1);
  EXPECT_EQ(links({0, 3}), 2);
  EXPECT_EQ(links({0, 1, 2, 3}), 4);  // devices 2 and 3 have five
  EXPECT_EQ(links({0, 5}), 1);        // through device 1, which one link joins with device 0
  EXPECT_EQ(links({0}), 0);

  const Platform two = platform_of("dgx_h100", {"machines=2"});
  std::vector<Endpoint> devices = all_of(two);
  devices.resize(9);
  EXPECT_EQ(summary_of(two, devices).per_node, 0);
  EXPECT_EQ(summary_of(two, devices).nodes, 2);
  devices.resize(1);
  EXPECT_EQ(print(summary_of(two, devices)),
            "1 machines, 1 nodes of 1 | nvidia hopper | alone 0 x 0, 0, slowest 0 | 1 x 50, 48 infiniband, "
            "direct | intel xeon_8480c");
}

TEST(Summary, OfSimgridsLinksIsANetwork) {
  const Loaded loaded = from_xml("two.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <host id="a" speed="1Gf"><prop id="windtunnel:type" value="xeon_8168"/></host>
    <host id="b" speed="1Gf"><prop id="windtunnel:type" value="epyc_7742"/></host>
    <link id="wire" bandwidth="1GBps" latency="1us"/>
    <route src="a" dst="b"><link_ctn id="wire"/></route>
  </zone>
</platform>)");
  const Platform& platform = loaded.platform;
  EXPECT_EQ(print(summary_of(platform, all_of(platform))),
            "2 machines, 2 nodes of 1 | other ? | alone 0 x 0, 0, slowest 0 | 0 x 0, 1 unknown | other "
            "desktop_cpu");
}

TEST(Makers, AreReadFromProductsAndIds) {
  EXPECT_EQ(maker_of({.id = "epyc_9654", .product = "epyc_9654"}), Maker::amd);
  EXPECT_EQ(maker_of({.id = "xeon_6980p", .product = "xeon_6980p"}), Maker::intel);
  EXPECT_EQ(maker_of({.id = "mine", .product = "GeForce RTX 5090"}), Maker::nvidia);
  EXPECT_EQ(maker_of({.id = "laptop_cpu", .product = "a laptop CPU"}), Maker::other);
}

}  // namespace
}  // namespace wt::platform
