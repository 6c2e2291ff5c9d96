// Claim: faster links have a higher bandwidth and the same latency, on every route and in the summary that a
// communication library reads.

#include <gtest/gtest.h>

#include "platform/load.h"
#include "platform/summary.h"

namespace wt::platform {
namespace {

std::vector<Endpoint> devices_of(const Platform& platform) {
  std::vector<Endpoint> all;
  for (std::int32_t i = 0; i < platform.devices(); ++i) all.push_back(platform.device(i));
  return all;
}

TEST(FasterLinks, CarryTwiceAsMuchAndWaitAsLong) {
  for (const std::string_view name : {"dgx_a100", "gce_n1_v100", "tpu_v4", "ideal_ring"}) {
    SCOPED_TRACE(name);
    const Platform slow = load(name).platform;
    const Platform fast = slow.with_faster_links(2);
    for (std::int32_t i = 0; i < slow.links(); ++i) {
      EXPECT_EQ(fast.link(LinkId(i)).bandwidth.count(), 2 * slow.link(LinkId(i)).bandwidth.count());
      EXPECT_EQ(fast.link(LinkId(i)).latency, slow.link(LinkId(i)).latency);
    }
    const Route before = slow.route(slow.device(0), slow.device(1));
    const Route after = fast.route(fast.device(0), fast.device(1));
    EXPECT_EQ(after.links, before.links);
    EXPECT_EQ(after.latency, before.latency);
    EXPECT_EQ(after.bottleneck.count(), 2 * before.bottleneck.count());
    EXPECT_EQ(slow.link_speed(), 1);
  }
}

TEST(FasterLinks, AreSummedUpAsFaster) {
  const Platform slow = load("dgx_h100", {parse_parameter("machines=2")}).platform;
  const Platform fast = slow.with_faster_links(2);
  const Summary before = summary_of(slow, devices_of(slow)), after = summary_of(fast, devices_of(fast));
  EXPECT_EQ(after.links, before.links);
  EXPECT_EQ(after.nics, before.nics);
  for (const auto rate :
       {&Summary::link, &Summary::device_out, &Summary::slowest, &Summary::nic, &Summary::network})
    EXPECT_EQ((after.*rate).count(), 2 * (before.*rate).count());
}

}  // namespace
}  // namespace wt::platform
