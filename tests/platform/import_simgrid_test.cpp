// Claim: a SimGrid platform XML has the same routes here as in SimGrid; the expected ones are written down by
// hand. Elements that are not supported are reported with name and place. All routes of office.xml and
// campus.xml were compared with those of SimGrid 3.32 itself, link by link.

#include <gtest/gtest.h>

#include "base/quantity_literals.h"
#include "platform/formats/import.h"
#include "platform/formats/simgrid_units.h"
#include "platform/xml_cases.h"

namespace wt::platform {
namespace {

using Names = std::vector<std::string>;

Platform office() { return load(data("office.xml")).platform; }

// A platform of one zone with this content.
std::string zone(const std::string& content, const std::string& routing = "Full") {
  return "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"" + routing + "\">\n" + content +
         "\n</zone>\n</platform>\n";
}
const std::string two_hosts =
    R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/>
)";
const std::string joined = two_hosts + R"(<route src="a" dst="b"><link_ctn id="l"/></route>)";

TEST(ImportSimgrid, MakesAMachineOfEachHost) {
  const Platform platform = office();
  EXPECT_EQ(platform.name(), "office");
  EXPECT_EQ(platform.devices(), 7);
  EXPECT_EQ(platform.machines(), 7);
  EXPECT_EQ(platform.name(platform.device(0)), "ada/cpu 0");
  EXPECT_EQ(platform.name(platform.device(6)), "node-7.rack/cpu 0");
  EXPECT_EQ(platform.name(platform.host(1)), "bob/host 0");
  EXPECT_EQ(platform.type(platform.device(0)).kind, device::Kind::cpu);
  EXPECT_EQ(platform.type(platform.device(0)).peak.at(device::Precision::float32), FlopsPerSecond(98.5e6));
  EXPECT_EQ(platform.type(platform.device(1)).peak.at(device::Precision::float32), FlopsPerSecond(4 * 2e9));
}

TEST(ImportSimgrid, FollowsStatedRoutesAndTurnsSymmetricalOnes) {
  const Platform platform = office();
  EXPECT_EQ(names(platform, 0, 1), (Names{"shared", "split_UP"}));
  EXPECT_EQ(names(platform, 1, 0), (Names{"split_DOWN", "shared"}));
  EXPECT_EQ(names(platform, 0, 2), Names{"there"});
  EXPECT_EQ(names(platform, 2, 0), Names{"back"});
  const Route route = platform.route(platform.device(0), platform.device(1));
  EXPECT_DOUBLE_EQ(route.latency.count(), 51e-6);
  EXPECT_EQ(route.bottleneck, 125_MBps);
}

TEST(ImportSimgrid, SharesALinkInBothDirectionsUnlessItIsSplit) {
  const Platform platform = office();
  const std::vector<LinkId> there = platform.route(platform.device(0), platform.device(1)).links;
  const std::vector<LinkId> back = platform.route(platform.device(1), platform.device(0)).links;
  EXPECT_EQ(there.at(0), back.at(1));
  EXPECT_NE(there.at(1), back.at(0));
}

TEST(ImportSimgrid, LeadsThroughGatewaysClustersAndBackbones) {
  const Platform platform = office();
  EXPECT_EQ(names(platform, 1, 6), (Names{"split_DOWN", "street", "rack_backbone", "rack_link_7_DOWN"}));
  EXPECT_EQ(names(platform, 6, 1), (Names{"rack_link_7_UP", "rack_backbone", "street", "split_UP"}));
  EXPECT_EQ(names(platform, 3, 4), (Names{"rack_link_0_UP", "rack_backbone", "rack_link_1_DOWN"}));
  const Route far = platform.route(platform.device(1), platform.device(6));
  EXPECT_DOUBLE_EQ(far.latency.count(), 1e-6 + 1e-3 + 500e-6 + 50e-6);
  EXPECT_EQ(far.bottleneck, 12.5_MBps);
}

TEST(ImportSimgrid, ReachesAHostsMemoryOnItsOwnMachine) {
  const Platform platform = office();
  EXPECT_EQ(names(platform, platform.device(0), platform.host(0)), Names{"ada/cpu 0 -> host 0"});
  EXPECT_EQ(names(platform, platform.device(0), platform.host(2)), (Names{"there", "cyd/cpu 0 -> host 0"}));
}

constexpr const char* line =
    R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/><router id="r"/>
<link id="ab" bandwidth="1GBps"/><link id="br" bandwidth="1GBps"/><link id="rc" bandwidth="1GBps" sharing_policy="SPLITDUPLEX"/>
<link id="x" bandwidth="9GBps"/>
<route src="a" dst="b"><link_ctn id="ab"/></route>
<route src="b" dst="r"><link_ctn id="br"/></route>
<route src="r" dst="c"><link_ctn id="rc" direction="UP"/></route>
<route src="a" dst="c"><link_ctn id="x"/><link_ctn id="ab"/></route>)";

TEST(ImportSimgrid, FindsWaysWithTheFewestLinks) {
  for (const char* routing : {"Floyd", "Dijkstra", "DijkstraCache"}) {
    const Platform platform = from_xml("x.xml", zone(line, routing)).platform;
    EXPECT_EQ(names(platform, 1, 2), (Names{"br", "rc_UP"}));
    EXPECT_EQ(names(platform, 2, 1), (Names{"rc_DOWN", "br"}));
    EXPECT_EQ(names(platform, 0, 2), (Names{"x", "ab"}));  // 2 links instead of 3
  }
}

TEST(ImportSimgrid, PassesAZoneBetweenItsGateways) {
  const Platform platform = from_xml("x.xml", R"(<platform version="4.1"><AS id="w" routing="Floyd">
    <AS id="A" routing="Full"><host id="a" speed="1Gf"/></AS>
    <AS id="B" routing="Full"><router id="in"/><router id="out"/><link id="inner" bandwidth="1GBps"/>
      <route src="in" dst="out"><link_ctn id="inner"/></route></AS>
    <AS id="C" routing="None"><host id="c" speed="1Gf"/></AS>
    <link id="ab" bandwidth="1GBps"/><link id="bc" bandwidth="1GBps"/>
    <ASroute src="A" dst="B" gw_src="a" gw_dst="in"><link_ctn id="ab"/></ASroute>
    <ASroute src="B" dst="C" gw_src="out" gw_dst="c"><link_ctn id="bc"/></ASroute></AS></platform>)")
                                .platform;
  EXPECT_EQ(names(platform, 0, 1), (Names{"ab", "inner", "bc"}));
  EXPECT_EQ(names(platform, 1, 0), (Names{"bc", "inner", "ab"}));
}

TEST(ImportSimgrid, PutsZonesOfAllKindsTogether) {
  const Platform platform = load(data("campus.xml")).platform;
  EXPECT_EQ(names(platform, 0, 4), (Names{"la1", "la2", "la3_UP", "ab", "lb3", "bc", "cb", "c1d"}));
  EXPECT_EQ(names(platform, 5, 1), (Names{"c2x_UP", "cb", "bc", "lb3", "ab", "la3_DOWN", "la2"}));
  EXPECT_EQ(names(platform, 3, 2), (Names{"lb1", "ab", "la3_DOWN"}));
}

TEST(ImportSimgrid, KnowsHostLinksAndBackbones) {
  const Platform platform = from_xml("x.xml", zone(R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
    <link id="up" bandwidth="1GBps"/><link id="down" bandwidth="1GBps"/><link id="b" bandwidth="1GBps" sharing_policy="SPLITDUPLEX"/>
    <host_link id="a" up="up" down="down"/><host_link id="b" up="b_UP" down="b_DOWN"/><backbone id="bb" bandwidth="5GBps" latency="9us"/>
    <cabinet id="box" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/>)",
                                                   "Cluster"))
                                .platform;
  EXPECT_EQ(names(platform, 0, 1), (Names{"up", "bb", "b_DOWN"}));
  EXPECT_EQ(names(platform, 1, 0), (Names{"b_UP", "bb", "down"}));
  EXPECT_EQ(names(platform, 3, 0), (Names{"box_link_1_UP", "bb", "down"}));
}

TEST(ImportSimgrid, LetsAPropertyNameTheDevice) {
  const std::string property = R"(<prop id="windtunnel:type" value="rtx4090"/>)";
  const Platform gpus =
      from_xml(
          "x.xml",
          zone(
              property +
              R"(<prop id="windtunnel:host" value="xeon_8168"/><prop id="windtunnel:pcie" value="26 GB/s"/>)" +
              joined))
          .platform;
  EXPECT_EQ(gpus.type(gpus.device(1)).id, "rtx4090");
  EXPECT_EQ(gpus.type(gpus.host(1)).id, "xeon_8168");
  EXPECT_EQ(gpus.route(gpus.device(0), gpus.host(0)).bottleneck, 26_GBps);
  EXPECT_EQ(names(gpus, 0, 1), Names{"l"});
  const Platform set = from_xml("x.xml", zone(joined), {parse_parameter("type=epyc_7742")}).platform;
  EXPECT_EQ(set.type(set.device(0)).id, "epyc_7742");
  EXPECT_EQ(refused(zone(joined), {parse_parameter("machines=4")}),
            R"(--set:1:10: unknown key "machines" of a SimGrid platform
  1 | machines=4
    |          ^
known: type, host, pcie)");
}

TEST(ImportSimgrid, SuggestsADeviceThatIsNear) {
  const std::string said = refused(zone("<prop id=\"windtunnel:type\" value=\"rtx4091\"/>\n" + joined));
  EXPECT_EQ(said.substr(0, said.find(" known:")), R"(x.xml:3:35: unknown device type "rtx4091"
  3 | <prop id="windtunnel:type" value="rtx4091"/>
    |                                   ^~~~~~~
did you mean "rtx4090"?)");
}

TEST(ImportSimgrid, TakesAFatPipeThatIsNeverTheNarrowest) {
  const std::string content = R"(<link id="f" bandwidth="2GBps" latency="5us" sharing_policy="FATPIPE"/>)" +
                              two_hosts +
                              R"(<route src="a" dst="b"><link_ctn id="l"/><link_ctn id="f"/></route>)";
  const Platform platform = from_xml("x.xml", zone(content)).platform;
  EXPECT_EQ(names(platform, 0, 1), Names{"l"});
  EXPECT_DOUBLE_EQ(platform.route(platform.device(0), platform.device(1)).latency.count(), 6e-6);
}

TEST(ImportSimgrid, WarnsOfWhatMeansNothingHere) {
  const Loaded loaded = from_xml("x.xml", R"(<platform version="4">
<config id="c"><prop id="network/model" value="LV08"/><prop id="network/crosstraffic" value="0"/></config>
<zone id="z" routing="Full">
<host id="a" speed="1Gf"><disk id="d" read_bw="1" write_bw="1"/></host>
<host id="b" speed="1Gf"/>
<link id="l" bandwidth="1GBps"/>
<link id="loop" bandwidth="9GBps" sharing_policy="FATPIPE"/>
<route src="a" dst="b"><link_ctn id="l"/></route>
<route src="a" dst="a"><link_ctn id="loop"/></route>
</zone></platform>)");
  std::string facts;
  for (const Problem& warning : loaded.warnings)
    facts += fmt::format("{}:{} {}\n", warning.place.line, warning.place.column, warning.fact);
  EXPECT_EQ(facts, R"(2:17 SimGrid's setting network/model is not used
4:27 <disk> is left out
9:2 the route from a host to itself is left out
4:2 memory and its bandwidth are assumed to be those of desktop_cpu
7:2 the link loop is unused
)");
}

// Each entity is ten times the one before, so that the last one would expand to 10^9 letters.
TEST(ImportSimgrid, ExpandsNoEntities) {
  std::string bomb = "<!DOCTYPE platform [<!ENTITY l0 \"lol\">";
  for (int level = 1; level < 10; ++level)
    bomb += fmt::format("<!ENTITY l{} \"&l{};&l{};&l{};&l{};&l{};&l{};&l{};&l{};&l{};&l{};\">", level,
                        level - 1, level - 1, level - 1, level - 1, level - 1, level - 1, level - 1,
                        level - 1, level - 1, level - 1);
  bomb += "]>\n" + replaced(zone(joined), "id=\"z\"", "id=\"&l9;\"");
  EXPECT_EQ(from_xml("x.xml", bomb).platform.devices(), 2);
}

TEST(ImportSimgrid, RefusesNestingThatIsTooDeep) {
  std::string text;
  for (int level = 0; level < 100'000; ++level) text += "<zone>";
  for (int level = 0; level < 100'000; ++level) text += "</zone>";
  const std::string said = refused(text);
  EXPECT_NE(said.find("elements are nested deeper than 200 levels"), std::string::npos);
}

TEST(ImportSimgrid, HoldsClustersOfManyHosts) {
  const Platform platform =
      from_xml("x.xml", R"(<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-19999"
    speed="1Gf" bw="1GBps" lat="1us" bb_bw="10GBps"/></platform>)")
          .platform;
  EXPECT_EQ(platform.devices(), 20'000);
  EXPECT_EQ(names(platform, 19'999, 3), (Names{"c_link_19999_UP", "c_backbone", "c_link_3_DOWN"}));
}

TEST(ImportSimgrid, ReadsAnyBytesOrRefusesThem) {
  EXPECT_GT(survive("office.xml", 13, 2000), 50);
  EXPECT_GT(survive("campus.xml", 14, 3000), 50);
}

TEST(SimgridUnits, AreThoseOfItsDtd) {
  using namespace simgrid;
  EXPECT_EQ(bandwidth("125MBps"), 125_MBps);
  EXPECT_EQ(bandwidth("1Gbps"), 125_MBps);
  EXPECT_EQ(bandwidth("1KiBps"), BytesPerSecond(1024));
  EXPECT_EQ(bandwidth("8Kibps"), BytesPerSecond(1024));
  EXPECT_EQ(bandwidth("1.25E8"), 125_MBps);
  EXPECT_EQ(latency("50us"), Seconds(50e-6));
  EXPECT_EQ(latency("0"), Seconds(0));
  EXPECT_EQ(latency("2m"), Seconds(120));
  EXPECT_EQ(speed("98.095Mf"), FlopsPerSecond(98.095e6));
  EXPECT_EQ(speed("2gigaflops"), FlopsPerSecond(2e9));
  for (const char* wrong : {"", "x", "1GB/s", "-1GBps", "0GBps", "nan", "inf", "1e308YBps", "1 GBps"})
    EXPECT_EQ(bandwidth(wrong), std::nullopt) << wrong;
  for (const char* wrong : {"", "-1us", "1min", "1e300w1"}) EXPECT_EQ(latency(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace wt::platform
