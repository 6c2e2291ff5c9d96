// Claim: a machine with "like" has only the differences from the machine of another file. Absent keys have
// the values of that file, and a part that the other machine does not have must be complete.

#include <gtest/gtest.h>

#include <functional>

#include "base/quantity_literals.h"
#include "platform/platforms.h"

namespace wt::platform {
namespace {

Loaded from_text(const std::string& text) { return from_json(json::parse(text, "test.json")); }

std::string refusal(const std::string& text) {
  try {
    from_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(Like, TakesTheRestFromTheOtherFile) {
  const Platform other = written(R"({"machine": {"like": "dgx1_v100", "devices": {"type": "v100_sxm2_32"},
                                                 "hosts": {"link": {"bandwidth": "10 GB/s"}}}})");
  const Platform dgx = platform_of("dgx1_v100");
  EXPECT_EQ(other.devices(), 8);
  EXPECT_EQ(other.type(other.device(0)).id, "v100_sxm2_32");
  EXPECT_EQ(other.type(other.host(0)).id, dgx.type(dgx.host(0)).id);
  EXPECT_EQ(names(other, 0, 7), names(dgx, 0, 7));
  const Route between = other.route(other.host(0), other.host(1));
  EXPECT_EQ(between.bottleneck, 10_GBps);
  EXPECT_EQ(between.latency, dgx.route(dgx.host(0), dgx.host(1)).latency);
}

TEST(Like, ReplacesListsWhole) {
  const Platform ring = written(
      R"({"machine": {"like": "dgx1_v100", "devices": {"count": 3}, "nvlink": {"pairs": [[0, 1, 3], [1, 2]]}}})");
  EXPECT_EQ(names(ring, 0, 2),
            (std::vector<std::string>{"machine 0/gpu 0 -> gpu 1", "machine 0/gpu 1 -> gpu 2"}));
  EXPECT_DOUBLE_EQ(ring.route(ring.device(0), ring.device(1)).bottleneck.count(), 3 * 25e9 * 0.88);
  const Platform no_switch = written(R"({"machine": {"like": "dgx2", "pcie": {"switches": 0}}})");
  EXPECT_EQ(names(no_switch, no_switch.device(0), no_switch.host(0)).size(), 2u);
  const Platform switches =
      written(R"({"machine": {"like": "workstation_8x4090_2socket", "pcie": {"switches": [2, 4]}}})");
  EXPECT_EQ(names(switches, switches.device(0), switches.host(0)).size(), 4u);
}

TEST(Like, BorrowsTheNetworkUnlessThereIsOne) {
  const Platform rails = written(R"({"machines": 2, "machine": {"like": "dgx_h100", "nics": {"links": 2}}})");
  EXPECT_EQ(names(rails, 0, 8).at(2), "machine 0/nic 0 -> rail 0");
  EXPECT_DOUBLE_EQ(rails.route(rails.device(0), rails.device(8)).bottleneck.count(), 55e9);
  const Platform one = written(
      R"({"machines": 2, "machine": {"like": "dgx_h100", "nics": {"links": 2}}, "network": {"type": "switch"}})");
  EXPECT_EQ(names(one, 0, 8).at(2), "machine 0/nic 0 -> switch");
}

TEST(Like, MayBeLikeWhatIsLikeAnother) {
  const Platform third = written(R"({"machine": {"like": "gce_a3_megagpu_8g", "nics": {"count": 2}}})");
  EXPECT_EQ(third.type(third.device(0)).id, "h100_sxm");
  EXPECT_EQ(third.type(third.host(0)).memory, 936_GB);  // the value of gce_a3_highgpu_8g
}

TEST(Like, RequiresAllOfAPartThatTheOtherHasNot) {
  EXPECT_EQ(refusal(R"({"machine": {"like": "laptop_rtx4060",
  "nics": {"count": 2}}})"),
            R"(test.json:2:11: this object has no "bandwidth"
  2 |   "nics": {"count": 2}}})"
            R"(
    |           ^
add "bandwidth": the bandwidth of one link in one direction)");
}

TEST(Like, NamesAFile) {
  const std::string unknown = refusal(R"({"machine": {"like": "dgx_h10"}})");
  EXPECT_EQ(unknown.substr(0, unknown.find(" `windtunnel")), R"(test.json:1:22: unknown platform "dgx_h10"
  1 | {"machine": {"like": "dgx_h10"}}
    |                      ^~~~~~~~~
did you mean "dgx_h100"?)");
  EXPECT_EQ(refusal(R"({"machine": {"like": 7}})"), R"(test.json:1:22: expected a string, found a whole number
  1 | {"machine": {"like": 7}}
    |                      ^)");
  EXPECT_EQ(refusal(R"({"machine": {"like": "tpu_v4"}})"),
            R"(test.json:1:22: "tpu_v4" is a TPU generation and not a single machine
  1 | {"machine": {"like": "tpu_v4"}}
    |                      ^~~~~~~~
use it as a platform with a "slice")");
  const std::string key = refusal(R"({"machine": {"like": "dgx1", "nvlinks": {}}})");
  EXPECT_EQ(key.substr(0, key.find(" known:")), R"(test.json:1:30: unknown key "nvlinks"
  1 | {"machine": {"like": "dgx1", "nvlinks": {}}}
    |                              ^~~~~~~~~
did you mean "nvlink"?)");
}

}  // namespace
}  // namespace wt::platform
