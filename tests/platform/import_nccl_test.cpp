// Claim: an NCCL topology XML is translated to a platform file with the routes of the machine: for machines
// that are also described in platforms/, the routes are the same.

#include <gtest/gtest.h>

#include "base/quantity_literals.h"
#include "platform/formats/import.h"
#include "platform/xml_cases.h"

namespace wt::platform {
namespace {

std::string dgx() { return test::bytes_of(data("dgx1_v100_nccl.xml")); }
std::string server() { return test::bytes_of(data("server_8x4090_nccl.xml")); }

Translated translated(const std::string& text, const Products& products = {}) {
  return translate_nccl(xml::parse("x.xml", text), products);
}

// Compares names, kinds and latencies of links, too. Bandwidths are equal except between sockets, where an
// imported machine has NCCL's rate for peer-to-peer copies, 6 GB/s on Broadwell.
void expect_same_routes(const Platform& imported, const Platform& own) {
  ASSERT_EQ(imported.devices(), own.devices());
  ASSERT_EQ(imported.hosts(), own.hosts());
  const std::vector<Endpoint> all = endpoints(own);
  for (const Endpoint from : all) {
    EXPECT_EQ(imported.type(from).id, own.type(from).id);
    for (const Endpoint to : all) {
      SCOPED_TRACE(own.name(from) + " to " + own.name(to));
      const Route left = imported.route(from, to);
      const Route right = own.route(from, to);
      ASSERT_EQ(names(imported, from, to), names(own, from, to));
      EXPECT_DOUBLE_EQ(left.latency.count(), right.latency.count());
      for (std::size_t link = 0; link < left.links.size(); ++link) {
        const Link &mine = imported.link(left.links[link]), &theirs = own.link(right.links[link]);
        EXPECT_EQ(mine.kind, theirs.kind);
        if (mine.kind == LinkKind::socket)
          EXPECT_LE(mine.bandwidth, theirs.bandwidth);
        else
          EXPECT_DOUBLE_EQ(mine.bandwidth.count(), theirs.bandwidth.count());
      }
    }
  }
}

TEST(ImportNccl, GivesADgx1TheRoutesOfItsPlatformFile) {
  expect_same_routes(load(data("dgx1_v100_nccl.xml")).platform, platform_of("dgx1_v100"));
}

TEST(ImportNccl, GivesAPcieServerTheRoutesOfItsPlatformFile) {
  expect_same_routes(load(data("server_8x4090_nccl.xml")).platform,
                     platform_of("workstation_8x4090_2socket"));
}

TEST(ImportNccl, WritesAFileThatReadsBackToTheSame) {
  const Translated written = translated(dgx());
  const Loaded again = from_json(json::parse(written.json, "dgx.json"));
  EXPECT_EQ(all_of(again.warnings), "");
  expect_same_routes(again.platform, platform_of("dgx1_v100"));
  EXPECT_EQ(again.platform.links(), platform_of("dgx1_v100").links());
}

TEST(ImportNccl, SaysWhatItHadToAssume) {
  EXPECT_EQ(all_of(load(data("dgx1_v100_nccl.xml")).warnings)
                    .find("sm 70 with NVLink is assumed to be v100_sxm2_16") == std::string::npos,
            false);
  EXPECT_EQ(all_of(translated(dgx(), {"v100_sxm2_32", "xeon_8168"}).warnings), "");
  EXPECT_NE(translated(dgx()).json.find("assumed: NCCL's topologies have no latencies"), std::string::npos);
}

TEST(ImportNccl, TakesProductsAndKeysFromOutside) {
  const std::string file = data("dgx1_v100_nccl.xml");
  const Loaded loaded =
      load(file, {parse_parameter("machine.devices.type=v100_sxm2_32"), parse_parameter("devices=2")});
  EXPECT_EQ(loaded.platform.type(loaded.platform.device(0)).id, "v100_sxm2_32");
  EXPECT_EQ(loaded.platform.devices(), 2);
}

TEST(ImportNccl, LendsItsMachineToAPlatformFile) {
  const test::TestFolder folder;
  folder.write("dgx.xml", dgx());
  const std::filesystem::path file =
      folder.write("four.json", R"({"machine": "dgx.xml", "machines": 4, "network": {"type": "switch"}})");
  const Loaded four = load(file.string());
  EXPECT_EQ(four.platform.devices(), 32);
  EXPECT_EQ(names(four.platform, 0, 8).back(), "machine 1/pcie switch 0 -> gpu 0");
  EXPECT_NE(all_of(four.warnings).find("is assumed to be v100_sxm2_16"), std::string::npos);
  folder.write("whole.xml", test::bytes_of(data("office.xml")));
  const std::filesystem::path wrong = folder.write("wrong.json", R"({"machine": "whole.xml"})");
  EXPECT_EQ(folder.error_of<InputError>([&] { load(wrong.string()); }),
            R"(wrong.json:1:13: whole.xml is a SimGrid platform and not a single machine
  1 | {"machine": "whole.xml"}
    |             ^~~~~~~~~~~
use it as the platform)");
}

TEST(ImportNccl, CountsLanesAndGenerationsOfPcie) {
  std::string text = server();
  for (std::size_t at = 0; (at = text.find("16.0 GT/s PCIe", at)) != std::string::npos; at += 4)
    text.replace(at, 14, "8.0 GT/s PCIe");
  for (std::size_t at = 0; (at = text.find("link_width=\"16\"", at)) != std::string::npos; at += 4)
    text.replace(at, 15, "link_width=\"8\"");
  const Platform half = from_xml("x.xml", text).platform;
  EXPECT_DOUBLE_EQ(half.route(half.device(0), half.host(0)).bottleneck.count(), 12.35e9 / 2);
}

TEST(ImportNccl, FollowsTheNumbersOfDevices) {
  std::string text = server();
  text = replaced(text, "dev=\"0\"", "dev=\"x\"");
  text = replaced(text, "dev=\"7\"", "dev=\"0\"");
  text = replaced(text, "dev=\"x\"", "dev=\"7\"");
  const Platform turned = from_xml("x.xml", text).platform;
  EXPECT_EQ(turned.host_of(turned.device(0)), turned.host(1));
  EXPECT_EQ(turned.host_of(turned.device(7)), turned.host(0));
}

constexpr const char* switched = R"(<system version="1">
  <cpu numaid="0" arch="arm64">
    <pci busid="0000:01:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="90">
      <nvlink target="0000:05:00.0" count="9" tclass="0x068000"/><nvlink target="0000:06:00.0" count="9" tclass="0x068000"/>
      <c2c count="1" bw="450000"/></gpu></pci>
    <pci busid="0000:02:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="1" sm="90">
      <nvlink target="0000:05:00.0" count="18" tclass="0x068000"/><c2c count="1" bw="450000"/></gpu></pci>
  </cpu>
</system>)";

TEST(ImportNccl, KnowsNvswitchesAndC2c) {
  const Platform pair = from_xml("x.xml", switched).platform;
  EXPECT_EQ(names(pair, 0, 1),
            (std::vector<std::string>{"machine 0/gpu 0 -> nvswitch", "machine 0/nvswitch -> gpu 1"}));
  EXPECT_DOUBLE_EQ(pair.route(pair.device(0), pair.device(1)).bottleneck.count(), 18 * 25e9 * 0.82);
  EXPECT_EQ(pair.route(pair.device(0), pair.host(0)).bottleneck, 450_GBps);
  EXPECT_EQ(pair.type(pair.host(0)).id, "grace");
}

// A file that lists only buses. NCCL itself would inspect the machine for the rest.
constexpr const char* sparse = R"(<system version="1">
  <cpu numaid="0">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="16 GT/s" link_width="16">
      <pci busid="0000:02:00.0" class="0x030200" link_speed="16 GT/s" link_width="16"/>
      <pci busid="0000:03:00.0" class="0x020000" link_speed="16 GT/s" link_width="8"/>
    </pci>
  </cpu>
</system>)";

TEST(ImportNccl, ReadsFilesThatNameOnlyBuses) {
  EXPECT_EQ(refused(sparse), R"(x.xml:4:8: the type of this GPU is not stated
  4 |       <pci busid="0000:02:00.0" class="0x030200" link_speed="16 GT/s" link_width="16"/>
    |        ^~~
name a type: import --type, or "set": {"machine.devices.type": ...} beside the file)");
  const Translated named = translated(sparse, {"a100_sxm_40", "epyc_7742"});
  EXPECT_EQ(all_of(named.warnings),
            R"(x.xml:5:8: the speed of this NIC is not stated: the rate of its PCIe link is assumed
  5 |       <pci busid="0000:03:00.0" class="0x020000" link_speed="16 GT/s" link_width="8"/>
    |        ^~~
add <nic><net speed="100000"/></nic>, in Mb/s
)");
  EXPECT_EQ(from_json(json::parse(named.json, "x.json")).platform.devices(), 1);
}

TEST(ImportNccl, RefusesWhatAMachineHereCannotBe) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(refused(replaced(dgx(), "link_width=\"16\">\n        <gpu dev=\"3\"",
                                        "link_width=\"8\">\n        <gpu dev=\"3\""))),
            "x.xml:37:8: this GPU has PCIe 8 GT/s x8, and the first one has 8 GT/s x16");
  EXPECT_EQ(first_line(refused(replaced(dgx(), "count=\"2\"", "count=\"3\""))),
            "x.xml:6:8: 3 NVLinks lead to \"0000:0b:00.0\", and 2 lead back");
  EXPECT_EQ(first_line(refused(replaced(dgx(), "target=\"0000:07:00.0\"", "target=\"0000:77:00.0\""))),
            "x.xml:6:8: an NVLink leads to \"0000:77:00.0\", which is no GPU of the file");
  EXPECT_EQ(first_line(refused(replaced(dgx(), "sm=\"70\"", "sm=\"60\""))),
            "x.xml:14:8: this GPU has another compute capability than the first");
  EXPECT_EQ(first_line(refused(replaced(dgx(), "<cpu numaid=\"1\"", "<cpu host_hash=\"0x2\" numaid=\"1\""))),
            "x.xml:52:19: this CPU belongs to another machine");
  EXPECT_EQ(first_line(refused(replaced(dgx(), "busid=\"0000:07:00.0\"", "busid=\"0000:06:00.0\""))),
            "x.xml:14:19: the bus id \"0000:06:00.0\" is used twice");
}

TEST(ImportNccl, ReadsAnyBytesOrRefusesThem) {
  EXPECT_GT(survive("dgx1_v100_nccl.xml", 11, 1500), 50);
  EXPECT_GT(survive("server_8x4090_nccl.xml", 12, 1500), 50);
}

}  // namespace
}  // namespace wt::platform
