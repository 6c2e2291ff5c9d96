// Claim: the DGX-1 has the published NVLinks, with P100 and with V100: 16 pairs, 4 or 6 links for each GPU,
// three rings over all GPUs that share no link (V100), and a GPU that joins every two GPUs without a direct
// link.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "platform/platforms.h"

namespace wt::platform {
namespace {

// The number of links between each two V100: nvidia-smi topo -m in microsoft/msccl-tools
// tests/test_topologies.py.
constexpr std::array<std::array<int, 8>, 8> v100_links{{{0, 1, 1, 2, 2, 0, 0, 0},
                                                        {1, 0, 2, 1, 0, 2, 0, 0},
                                                        {1, 2, 0, 2, 0, 0, 1, 0},
                                                        {2, 1, 2, 0, 0, 0, 0, 1},
                                                        {2, 0, 0, 0, 0, 1, 1, 2},
                                                        {0, 2, 0, 0, 1, 0, 2, 1},
                                                        {0, 0, 1, 0, 1, 2, 0, 2},
                                                        {0, 0, 0, 1, 2, 1, 2, 0}}};

Route route(const Platform& platform, int from, int to) {
  return platform.route(platform.device(from), platform.device(to));
}

bool is_direct(const Platform& platform, int from, int to) {
  return from != to && route(platform, from, to).links.size() == 1;
}

// The number of links that join two GPUs directly. `payload` is the payload rate of one link.
int links_between(const Platform& platform, int from, int to, double payload) {
  if (!is_direct(platform, from, to)) return 0;
  return static_cast<int>(std::lround(route(platform, from, to).bottleneck.count() / payload));
}

struct Mesh {
  const char* id;
  double payload;  // of a link, in bytes per second
  int links_of_gpu;
  bool is_doubled;
};
constexpr Mesh meshes[] = {{"dgx1_p100", 20e9 * 0.9, 4, false},
                           {"dgx1_v100", 25e9 * 0.88, 6, true},
                           {"aws_p3_16xlarge", 25e9 * 0.88, 6, true},
                           {"aws_p3dn_24xlarge", 25e9 * 0.88, 6, true},
                           {"gce_n1_v100", 25e9 * 0.88, 6, true}};

TEST(CubeMeshes, HaveThePublishedLinks) {
  for (const Mesh& mesh : meshes) {
    SCOPED_TRACE(mesh.id);
    const Platform platform = platform_of(mesh.id);
    for (int from = 0; from < 8; ++from) {
      int links = 0;
      for (int to = 0; to < 8; ++to) {
        const int published = v100_links[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
        const int expected = mesh.is_doubled ? published : std::min(published, 1);
        EXPECT_EQ(links_between(platform, from, to, mesh.payload), expected) << from << " to " << to;
        links += expected;
      }
      EXPECT_EQ(links, mesh.links_of_gpu) << "gpu " << from;
    }
  }
}

// The highest bottleneck of the paths through one other GPU, computed here from the direct links alone.
double best_through_one(const Platform& platform, int from, int to) {
  double best = 0;
  for (int middle = 0; middle < 8; ++middle) {
    if (!is_direct(platform, from, middle) || !is_direct(platform, middle, to)) continue;
    best = std::max(best, std::min(route(platform, from, middle).bottleneck.count(),
                                   route(platform, middle, to).bottleneck.count()));
  }
  return best;
}

TEST(CubeMeshes, LeadEveryMissingPairThroughOneGpu) {
  for (const Mesh& mesh : meshes) {
    SCOPED_TRACE(mesh.id);
    const Platform platform = platform_of(mesh.id);
    int missing = 0;
    for (int from = 0; from < 8; ++from) {
      for (int to = 0; to < 8; ++to) {
        if (from == to || is_direct(platform, from, to)) continue;
        ++missing;
        const Route way = route(platform, from, to);
        ASSERT_EQ(way.links.size(), 2u) << from << " to " << to;
        for (const LinkId link : way.links) EXPECT_EQ(platform.link(link).kind, LinkKind::nvlink);
        EXPECT_EQ(way.bottleneck.count(), best_through_one(platform, from, to)) << from << " to " << to;
      }
    }
    EXPECT_EQ(missing, 24);
  }
}

TEST(CubeMeshes, OfV100HaveThreeRingsThatShareNoLink) {
  constexpr int rings[3][8] = {{0, 1, 2, 3, 7, 5, 6, 4}, {0, 2, 6, 7, 4, 5, 1, 3}, {0, 3, 2, 1, 5, 6, 7, 4}};
  const Platform platform = platform_of("dgx1_v100");
  std::map<LinkId, int> taken;
  for (const auto& ring : rings) {
    EXPECT_EQ(std::set<int>(std::begin(ring), std::end(ring)).size(), 8u);
    for (int step = 0; step < 8; ++step) {
      const int from = ring[step];
      const int to = ring[(step + 1) % 8];
      ASSERT_TRUE(is_direct(platform, from, to)) << from << " to " << to;
      ++taken[route(platform, from, to).links[0]];
      ++taken[route(platform, to, from).links[0]];
    }
  }
  int links = 0;
  for (const auto& [link, times] : taken) {
    EXPECT_EQ(times, std::lround(platform.link(link).bandwidth.count() / (25e9 * 0.88)))
        << platform.name(link);
    links += times;
  }
  EXPECT_EQ(links, 48);  // all 24 NVLinks, in both directions
}

TEST(CubeMeshes, AreCutWithTheMachine) {
  const Platform half = platform_of("dgx1_p100", {"devices=4"});
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to) EXPECT_EQ(is_direct(half, from, to), from != to);
}

}  // namespace
}  // namespace wt::platform
