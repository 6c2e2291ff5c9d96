// Claim: a platform that is written as SimGrid's XML and read again has the same routes. A drawing has every
// part and every wire.

#include <gtest/gtest.h>

#include "platform/formats/export_dot.h"
#include "platform/formats/export_simgrid.h"
#include "platform/xml_cases.h"
#include "scenario/golden.h"

namespace wt::platform {
namespace {

void expect_same_routes_back(const Platform& platform) {
  const Platform back = from_xml("x.xml", to_simgrid(platform)).platform;
  const std::vector<Endpoint> all = endpoints(platform);
  ASSERT_EQ(static_cast<std::size_t>(back.devices()), all.size());
  for (std::size_t from = 0; from < all.size(); ++from) {
    for (std::size_t to = 0; to < all.size(); ++to) {
      const Route route = platform.route(all[from], all[to]);
      const Route again = back.route(back.device(static_cast<int>(from)), back.device(static_cast<int>(to)));
      ASSERT_EQ(names(back, static_cast<int>(from), static_cast<int>(to)),
                names(platform, all[from], all[to]));
      EXPECT_DOUBLE_EQ(again.latency.count(), route.latency.count());
      EXPECT_EQ(again.bottleneck, route.bottleneck);
    }
  }
}

TEST(ExportSimgrid, ReadsBackToTheSameRoutes) {
  for (const char* name : {"dgx1_v100", "workstation_2x4090", "ideal_torus", "gb200_nvl72"}) {
    SCOPED_TRACE(name);
    expect_same_routes_back(platform_of(name));
  }
  expect_same_routes_back(platform_of("dgx_h100", {"machines=2"}));
  expect_same_routes_back(load(data("office.xml")).platform);
}

TEST(ExportSimgrid, StatesHostsLinksAndRoutes) {
  expect_golden(data("laptop_rtx4060.simgrid.xml"), to_simgrid(platform_of("laptop_rtx4060")));
}

TEST(ExportSimgrid, RefusesMoreRoutesThanAFileShouldHave) {
  try {
    to_simgrid(platform_of("dgx_h100", {"machines=64"}));
    FAIL() << "it was written";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "dgx_h100 has 408960 routes, and SimGrid's XML lists every one\n"
                 "export at most 300000 routes, as with --set machines=2");
  }
}

TEST(ExportDot, DrawsMachinesAndWires) {
  expect_golden(data("laptop_rtx4060.dot"), to_dot(platform_of("laptop_rtx4060")));
}

TEST(ExportDot, DrawsWhatLiesBetweenMachines) {
  const std::string text = to_dot(platform_of("dgx_h100", {"machines=2"}));
  EXPECT_NE(text.find("  \"rail 0\" [label=\"rail 0\"];\n"), std::string::npos);
  EXPECT_NE(text.find("\"machine 1/nic 0\" -- \"rail 0\""), std::string::npos);
  EXPECT_NE(text.find("subgraph cluster_1 {\n    label=\"machine 1\";\n    \"machine 1/gpu 0\" [label=\"gpu "
                      "0\\nh100_sxm\"];"),
            std::string::npos);
}

TEST(ExportDot, RefusesDrawingsThatAreTooLarge) {
  const Loaded cluster =
      from_xml("x.xml", R"(<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-999"
    speed="1Gf" bw="1GBps" lat="1us"/></platform>)");
  try {
    to_dot(cluster.platform);
    FAIL() << "it was drawn";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x has 1000 devices, and the ends of its links are known only from their routes\ndraw at "
                 "most 512 devices");
  }
}

TEST(ExportDot, DrawsLinksThatOnlyRoutesPlace) {
  const std::string text = to_dot(load(data("office.xml")).platform);
  EXPECT_NE(text.find("\"ada/cpu 0\" -- \"link shared\";"), std::string::npos) << text;
  EXPECT_NE(text.find("\"link street\" [label=\"street\\n0.0125 GB/s\"];"), std::string::npos);
}

}  // namespace
}  // namespace wt::platform
