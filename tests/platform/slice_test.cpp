// Claim: the slices that exist, the numbers in their names, the axes that close to rings and the numbers of
// hosts are those of Google's pages (the files in platforms/ name them).

#include "platform/slice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/platforms.h"

namespace wt::platform {
namespace {

// The rules of a generation with square pods (v5e, v6e), of one of 2017 (v2), and of one of cubes (v4).
Ici square() {
  return {.pod = {{16, 16}},
          .host = {{2, 2}},
          .single_host = {{{2, 4}}},
          .shapes = {{{1, 1}}, {{2, 2}}, {{2, 4}}, {{4, 4}}, {{4, 8}}, {{8, 8}}, {{8, 16}}, {{16, 16}}},
          .wrap = WrapRule::axis_of_16,
          .names = {"v5litepod"},
          .counts = Counts::chips};
}
Ici early() {
  return {.pod = {{16, 16}},
          .host = {{2, 2}},
          .shapes = {{{2, 2}}, {{4, 4}}, {{16, 16}}},
          .wrap = WrapRule::whole_pod,
          .names = {"v2"},
          .counts = Counts::cores,
          .cores = 2,
          .device = Unit::core};
}

Slice slice_of(const Ici& ici, const std::string& text) {
  Problems problems;
  const std::optional<Slice> slice = find_slice(ici, text, {}, problems);
  problems.throw_if_any();
  return *slice;
}

using Wraps = std::vector<bool>;

TEST(SquarePods, CloseAxesOf16) {
  EXPECT_EQ(slice_of(square(), "8x16").wraps, (Wraps{false, true}));
  EXPECT_EQ(slice_of(square(), "16x16").wraps, (Wraps{true, true}));
  for (const char* open : {"4x4", "4x8", "8x8"})
    EXPECT_EQ(slice_of(square(), open).wraps, (Wraps{false, false}));
}

TEST(SquarePods, CountChipsInNames) {
  EXPECT_EQ(slice_of(square(), "v5litepod-16").shape, (Shape{{4, 4}}));
  EXPECT_EQ(slice_of(square(), "v5litepod-16").hosts, 4);
  EXPECT_EQ(slice_of(square(), "v5litepod-8").hosts, 1);  // one host has all of 2x4
  EXPECT_EQ(slice_of(square(), "v5litepod-1").devices_per_host, 1);
}

TEST(EarlyPods, CloseWhenWholeAndCountCores) {
  EXPECT_EQ(slice_of(early(), "v2-512").wraps, (Wraps{true, true}));
  EXPECT_EQ(slice_of(early(), "v2-32").wraps, (Wraps{false, false}));
  const Slice slice = slice_of(early(), "v2-32");
  EXPECT_EQ(slice.chips, 16);
  EXPECT_EQ(slice.cores, 32);
  EXPECT_EQ(slice.hosts, 4);
  EXPECT_EQ(slice.devices_per_host, 8);
  EXPECT_EQ(slice.replicas(), 32);
}

Slice v4(const char* text) {
  return *platform_of("tpu_v4", {(std::string("slice=") + text).c_str()}).slice();
}

TEST(TpuV4, ClosesAllAxesOrNone) {
  for (const char* closed : {"4x4x4", "4x4x8", "4x8x12", "16x16x16"})
    EXPECT_EQ(v4(closed).wraps, (Wraps{true, true, true})) << closed;
  for (const char* open : {"2x2x1", "2x2x2", "2x2x4", "2x4x4"})
    EXPECT_EQ(v4(open).wraps, (Wraps{false, false, false})) << open;
}

TEST(TpuV4, CountsCoresInNamesAndIsAsNearToACubeAsItCanBe) {
  const struct {
    const char* name;
    const char* shape;
    int hosts;
  } rows[] = {{"v4-8", "2x2x1", 1},    {"v4-16", "2x2x2", 2},     {"v4-32", "2x2x4", 4},
              {"v4-64", "2x4x4", 8},   {"v4-128", "4x4x4", 16},   {"v4-256", "4x4x8", 32},
              {"v4-512", "4x8x8", 64}, {"v4-1024", "8x8x8", 128}, {"v4-8192", "16x16x16", 1024}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Slice slice = v4(row.name);
    EXPECT_EQ(print(slice.shape), row.shape);
    EXPECT_EQ(slice.hosts, row.hosts);
    EXPECT_EQ(slice.cores, 2 * slice.chips);
    EXPECT_EQ(slice.replicas(), slice.chips);  // a megacore is one device
  }
}

TEST(TpuV4, TwistsOnlyWhatCanBeTwisted) {
  EXPECT_TRUE(v4("4x4x8_twisted").twisted);
  EXPECT_TRUE(v4("8x16x16_twisted").twisted);
  EXPECT_FALSE(v4("4x4x8").twisted);
  for (const char* wrong : {"4x4x4_twisted", "4x8x12_twisted", "2x2x4_twisted"})
    EXPECT_THROW(v4(wrong), InputError);
}

TEST(TpuV4, IsRoutedByItsTorus) {
  const Platform open = platform_of("tpu_v4", {"slice=2x2x4"});
  const Platform closed = platform_of("tpu_v4", {"slice=4x4x4"});
  // Along z, hosts 0 to 3, chip 0 of each: 3 steps without a wrap, 1 with it.
  EXPECT_EQ(names(open, 0, 12).size(), 3u);
  EXPECT_EQ(names(closed, 0, 12), std::vector<std::string>{"machine 0/tpu 0 -> machine 3/tpu 0"});
}

constexpr const char* cores = R"({"slice": "v3-32",
  "ici": {"bandwidth": "82 GB/s", "pod": "32x32", "host": "2x2", "shapes": ["2x2", "4x4"], "wrap": "whole_pod",
          "names": ["v3"], "counts": "cores", "cores": 2, "device": "core", "on_chip": {"bandwidth": "450 GB/s"}},
  "machine": {"devices": {"type": "tpu_v3_core"}, "hosts": {"type": "xeon_8175"}, "pcie": {"bandwidth": "12 GB/s"},
              "nics": {"bandwidth": "100 Gb/s"}}, "network": {"type": "switch"}})";

TEST(Cores, ShareTheirChipsLinks) {
  const Platform slice = written(cores);
  EXPECT_EQ(slice.devices(), 32);
  EXPECT_EQ(slice.machines(), 4);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(slice, 0, 1), (Names{"machine 0/tpu 0 -> chip 0", "machine 0/chip 0 -> tpu 1"}));
  EXPECT_EQ(names(slice, 1, 2), (Names{"machine 0/tpu 1 -> chip 0", "machine 0/chip 0 -> machine 0/chip 1",
                                       "machine 0/chip 1 -> tpu 2"}));
  EXPECT_EQ(names(slice, 0, 3)[1], names(slice, 1, 2)[1]);
  EXPECT_EQ(
      names(slice, slice.device(3), slice.host(0)),
      (Names{"machine 0/tpu 3 -> chip 1", "machine 0/chip 1 -> socket 0", "machine 0/socket 0 -> host 0"}));
}

}  // namespace
}  // namespace wt::platform
