// Claim: each TPU generation of platforms/ has Google's slices under Google's names, and its own rule for the
// axes that close to rings: the two ends of a closed axis are neighbours, and those of an open axis are as
// far apart as the axis is long.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/file.h"
#include "platform/parse.h"
#include "platform/platforms.h"
#include "platform/slice.h"

namespace wt::platform {
namespace {

namespace fs = std::filesystem;

struct Row {
  const char* platform;
  const char* slice;  // the name
  const char* shape;
  const char* closes;  // for each axis
  int chips;
  int cores;
  int hosts;
  int replicas;
};

constexpr Row rows[] = {
    {"tpu_v2", "v2-8", "2x2", "--", 4, 8, 1, 8},
    {"tpu_v2", "v2-32", "4x4", "--", 16, 32, 4, 32},
    {"tpu_v2", "v2-128", "8x8", "--", 64, 128, 16, 128},
    {"tpu_v2", "v2-256", "8x16", "--", 128, 256, 32, 256},
    {"tpu_v2", "v2-512", "16x16", "oo", 256, 512, 64, 512},
    {"tpu_v3", "v3-8", "2x2", "--", 4, 8, 1, 8},
    {"tpu_v3", "v3-32", "4x4", "--", 16, 32, 4, 32},
    {"tpu_v3", "v3-64", "4x8", "--", 32, 64, 8, 64},
    {"tpu_v3", "v3-512", "16x16", "--", 256, 512, 64, 512},
    {"tpu_v3", "v3-1024", "16x32", "--", 512, 1024, 128, 1024},
    {"tpu_v3", "v3-2048", "32x32", "oo", 1024, 2048, 256, 2048},
    {"tpu_v4", "v4-8", "2x2x1", "---", 4, 8, 1, 4},
    {"tpu_v4", "v4-32", "2x2x4", "---", 16, 32, 4, 16},
    {"tpu_v4", "v4-64", "2x4x4", "---", 32, 64, 8, 32},
    {"tpu_v4", "v4-128", "4x4x4", "ooo", 64, 128, 16, 64},
    {"tpu_v4", "v4-384", "4x4x12", "ooo", 192, 384, 48, 192},
    {"tpu_v4", "v4-8192", "16x16x16", "ooo", 4096, 8192, 1024, 4096},
    {"tpu_v5e", "v5litepod-1", "1x1", "--", 1, 1, 1, 1},
    {"tpu_v5e", "v5litepod-4", "2x2", "--", 4, 4, 1, 4},
    {"tpu_v5e", "v5e-8", "2x4", "--", 8, 8, 1, 8},
    {"tpu_v5e", "v5litepod-16", "4x4", "--", 16, 16, 4, 16},
    {"tpu_v5e", "v5litepod-64", "8x8", "--", 64, 64, 16, 64},
    {"tpu_v5e", "v5litepod-128", "8x16", "-o", 128, 128, 32, 128},
    {"tpu_v5e", "v5litepod-256", "16x16", "oo", 256, 256, 64, 256},
    {"tpu_v5p", "v5p-8", "2x2x1", "---", 4, 8, 1, 4},
    {"tpu_v5p", "v5p-16", "2x2x2", "---", 8, 16, 2, 8},
    {"tpu_v5p", "v5p-128", "4x4x4", "ooo", 64, 128, 16, 64},
    {"tpu_v5p", "v5p-1024", "8x8x8", "ooo", 512, 1024, 128, 512},
    {"tpu_v5p", "v5p-12288", "16x16x24", "ooo", 6144, 12288, 1536, 6144},
    {"tpu_v6e", "v6e-8", "2x4", "--", 8, 8, 1, 8},
    {"tpu_v6e", "v6e-32", "4x8", "--", 32, 32, 8, 32},
    {"tpu_v6e", "v6e-128", "8x16", "-o", 128, 128, 32, 128},
    {"tpu_v6e", "v6e-256", "16x16", "oo", 256, 256, 64, 256},
    {"tpu_v7", "tpu7x-8", "2x2x1", "---", 4, 8, 1, 8},
    {"tpu_v7", "tpu7x-32", "2x2x4", "---", 16, 32, 4, 32},
    {"tpu_v7", "tpu7x-128", "4x4x4", "ooo", 64, 128, 16, 128},
    {"tpu_v7", "v7-18432", "16x24x24", "ooo", 9216, 18432, 2304, 18432},
};

Platform platform_of_slice(const char* platform, const std::string& slice) {
  return platform_of(platform, {("slice=" + slice).c_str()});
}

TEST(TpuSlices, AreWhatGoogleCallsThem) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.slice);
    const Platform platform = platform_of_slice(row.platform, row.slice);
    const Slice& slice = *platform.slice();
    EXPECT_EQ(print(slice.shape), row.shape);
    EXPECT_EQ(slice.chips, row.chips);
    EXPECT_EQ(slice.cores, row.cores);
    EXPECT_EQ(slice.hosts, row.hosts);
    EXPECT_EQ(platform.machines(), row.hosts);
    EXPECT_EQ(platform.devices(), row.replicas);
    std::string closes;
    for (const bool wrap : slice.wraps) closes += wrap ? 'o' : '-';
    EXPECT_EQ(closes, row.closes);
  }
}

// The first device of the chip at a place. Hosts are blocks of chips; both are numbered with the last axis
// fastest.
Endpoint device_at(const Platform& platform, const std::vector<int>& place) {
  const Slice& slice = *platform.slice();
  int host = 0;
  int chip = 0;
  int chips_of_host = 1;
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const int block = slice.host[axis];
    host = host * (slice.shape[axis] / block) + place[axis] / block;
    chip = chip * block + place[axis] % block;
    chips_of_host *= block;
  }
  return platform.device((host * chips_of_host + chip) * slice.cores / slice.chips / slice.cores_per_device);
}

int ici_links(const Platform& platform, Endpoint from, Endpoint to) {
  int count = 0;
  for (const LinkId link : platform.route(from, to).links)
    count += platform.link(link).kind == LinkKind::ici ? 1 : 0;
  return count;
}

TEST(TpuSlices, JoinTheEndsOfTheAxesThatClose) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.slice);
    const Platform platform = platform_of_slice(row.platform, row.slice);
    const Shape& shape = platform.slice()->shape;
    for (std::size_t axis = 0; axis < shape.axes(); ++axis) {
      std::vector<int> end(shape.axes(), 0);
      end[axis] = shape[axis] - 1;
      std::vector<int> middle = end;
      middle[axis] = shape[axis] / 2;
      const Endpoint origin = device_at(platform, std::vector<int>(shape.axes(), 0));
      const int expected = row.closes[axis] == 'o' ? 1 : shape[axis] - 1;
      EXPECT_EQ(ici_links(platform, origin, device_at(platform, end)), expected) << "axis " << axis;
      EXPECT_EQ(ici_links(platform, device_at(platform, end), origin), expected) << "axis " << axis;
      EXPECT_EQ(ici_links(platform, origin, device_at(platform, middle)), shape[axis] / 2) << "axis " << axis;
    }
  }
}

TEST(TpuSlices, ThatAreTwistedLoopHalfwayAlongTheLongAxis) {
  const Platform plain = platform_of_slice("tpu_v5p", "4x4x8");
  const Platform twisted = platform_of_slice("tpu_v5p", "4x4x8_twisted");
  // A step over the end of the first axis leads to the middle of the long axis.
  EXPECT_EQ(ici_links(plain, device_at(plain, {3, 0, 0}), device_at(plain, {0, 0, 4})), 5);
  EXPECT_EQ(ici_links(twisted, device_at(twisted, {3, 0, 0}), device_at(twisted, {0, 0, 4})), 1);
  EXPECT_EQ(ici_links(twisted, device_at(twisted, {3, 0, 0}), device_at(twisted, {0, 0, 0})), 3);
}

struct Refused {
  const char* platform;
  const char* slice;
  const char* fact;
  const char* remedy;
};

constexpr Refused refused[] = {
    {"tpu_v2", "v2-64", R"(this TPU generation has no slice "v2-64")",
     "nearest: 2x2 (v2-8, 4 chips), 4x4 (v2-32, 16 chips), 8x8 (v2-128, 64 chips), 8x16 (v2-256, 128 chips)"},
    {"tpu_v3", "32x64", R"(this TPU generation has no slice "32x64")",
     "nearest: 8x16 (v3-256, 128 chips), 16x16 (v3-512, 256 chips), 16x32 (v3-1024, 512 chips), 32x32 "
     "(v3-2048, "
     "1024 chips)"},
    {"tpu_v4", "v4-48", R"(this TPU generation has no slice "v4-48")",
     "nearest: 2x2x1 (v4-8, 4 chips), 2x2x2 (v4-16, 8 chips), 2x2x4 (v4-32, 16 chips), 2x4x4 (v4-64, 32 "
     "chips)"},
    {"tpu_v5e", "v5litepod-12", R"(this TPU generation has no slice "v5litepod-12")",
     "nearest: 1x1 (v5litepod-1, 1 chip), 2x2 (v5litepod-4, 4 chips), 2x4 (v5litepod-8, 8 chips), 4x4 "
     "(v5litepod-16, 16 chips)"},
    {"tpu_v5p", "16x20x28", R"(this TPU generation has no slice "16x20x28")",
     "nearest: 16x16x16 (v5p-8192, 4096 chips), 12x16x24 (v5p-9216, 4608 chips), 16x16x20 (v5p-10240, 5120 "
     "chips), 16x16x24 (v5p-12288, 6144 chips)"},
    {"tpu_v6e", "8x2", R"(this TPU generation has no slice "8x2")",
     "nearest: 1x1 (v6e-1, 1 chip), 2x2 (v6e-4, 4 chips), 2x4 (v6e-8, 8 chips), 4x4 (v6e-16, 16 chips)"},
    {"tpu_v6e", "8x16_twisted", "this TPU generation has no twisted slice 8x16", R"(write "8x16")"},
    {"tpu_v7", "tpu7x-6", R"(this TPU generation has no slice "tpu7x-6")",
     "nearest: 2x2x1 (tpu7x-8, 4 chips), 2x2x2 (tpu7x-16, 8 chips), 2x2x4 (tpu7x-32, 16 chips), 2x4x4 "
     "(tpu7x-64, "
     "32 chips)"},
};

TEST(TpuSlices, ThatDoNotExistAreRefusedWithTheNearest) {
  for (const Refused& row : refused) {
    SCOPED_TRACE(row.slice);
    try {
      platform_of_slice(row.platform, row.slice);
      ADD_FAILURE() << "it was accepted";
    } catch (const InputError& error) {
      ASSERT_EQ(error.problems().size(), 1u);
      EXPECT_EQ(error.problems()[0].fact, row.fact);
      EXPECT_EQ(error.problems()[0].remedy, row.remedy);
    }
  }
}

TEST(TpuSlices, OfEveryShapeCanBeBuilt) {
  for (const char* id : {"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_v7"}) {
    Problems problems;
    const fs::path file = fs::path(WT_SOURCE_DIR) / "platforms" / (std::string(id) + ".json");
    const json::Value value = json::parse_file(file);
    const Description description = parse(
        value, [](const json::Value&, Problems&) { return nullptr; }, problems);
    ASSERT_TRUE(description.ici);
    for (const Shape& shape : shapes_of(*description.ici)) {
      const Platform platform = platform_of_slice(id, print(shape));
      EXPECT_EQ(platform.slice()->chips, shape.count());
      EXPECT_EQ(platform.devices(), platform.slice()->replicas());
    }
  }
}

}  // namespace
}  // namespace wt::platform
