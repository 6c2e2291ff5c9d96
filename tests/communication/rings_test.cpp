// Claims: the rings on a mesh of NVLinks use every link, and pass through every machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "communication/fabric.h"
#include "platform/load.h"

namespace wt::communication {
namespace {

using Ring = std::vector<int>;

std::vector<Ring> rings(std::string_view name, std::vector<std::string> overrides = {}) {
  platform::Parameters parameters;
  for (const std::string& text : overrides) parameters.push_back(platform::parse_parameter(text));
  const platform::Platform platform = platform::load(name, parameters).platform;
  return rings_over_mesh(first_devices(platform, platform.devices()));
}

// How often each ordered pair of ranks are neighbours in a ring.
std::map<std::pair<int, int>, int> hops(const std::vector<Ring>& rings) {
  std::map<std::pair<int, int>, int> hops;
  for (const Ring& ring : rings)
    for (std::size_t i = 0; i < ring.size(); ++i) ++hops[{ring[i], ring[(i + 1) % ring.size()]}];
  return hops;
}

TEST(RingsOverMesh, UseEveryNvlinkOfADgx1OnceInEachDirection) {
  const std::vector<Ring> found = rings("dgx1_v100");
  EXPECT_EQ(found.size(), 6);  // Each GPU has six links.
  for (Ring ring : found) {
    std::ranges::sort(ring);
    EXPECT_EQ(ring, (Ring{0, 1, 2, 3, 4, 5, 6, 7}));
  }
  // The cube mesh as nvidia-smi shows it (platforms/dgx1_v100.json): pairs and their links.
  const std::map<std::pair<int, int>, int> links{
      {{0, 1}, 1}, {{0, 2}, 1}, {{0, 3}, 2}, {{0, 4}, 2}, {{1, 2}, 2}, {{1, 3}, 1}, {{1, 5}, 2}, {{2, 3}, 2},
      {{2, 6}, 1}, {{3, 7}, 1}, {{4, 5}, 1}, {{4, 6}, 1}, {{4, 7}, 2}, {{5, 6}, 2}, {{5, 7}, 1}, {{6, 7}, 2}};
  std::map<std::pair<int, int>, int> both;
  for (const auto& [pair, count] : links) both[pair] = both[{pair.second, pair.first}] = count;
  EXPECT_EQ(hops(found), both);
}

TEST(RingsOverMesh, PassThroughEveryMachineByOneCard) {
  const std::vector<Ring> found = rings("dgx1_v100", {"machines=2"});
  ASSERT_EQ(found.size(), 4) << "as many as cards";
  std::set<std::pair<int, int>> entrances;
  std::set<int> cards;
  for (const Ring& ring : found) {
    ASSERT_EQ(ring.size(), 16);
    for (int i = 0; i < 8; ++i) {
      EXPECT_LT(ring[static_cast<std::size_t>(i)], 8);
      EXPECT_EQ(ring[static_cast<std::size_t>(i + 8)], ring[static_cast<std::size_t>(i)] + 8);
    }
    EXPECT_EQ(ring[0] / 2, ring[7] / 2) << "two GPUs share a card";
    entrances.insert({ring[0], ring[7]});
    cards.insert(ring[0] / 2);
  }
  EXPECT_EQ(cards.size(), 4) << "every card carries an equal part";
}

// Eight devices that are all linked to each other have 56 links, counted by direction, and eight paths of seven hops.
TEST(RingsOverMesh, OfAFullMeshUseEveryLinkOnceAndStayOnTheirRails) {
  // A path through a machine never ends at its own card, so that an odd number of machines needs three kinds of paths.
  for (const std::size_t machines : {2, 3, 4, 5, 7}) {
    const std::vector<Ring> found = rings("hgx_mi300x", {fmt::format("machines={}", machines)});
    ASSERT_EQ(found.size(), 8);
    std::set<int> in, out;
    for (const auto& [pair, count] : hops(found)) {
      EXPECT_EQ(count, 1) << machines << " machines: " << pair.first << " -> " << pair.second;
      if (pair.first / 8 != pair.second / 8) {
        EXPECT_EQ(pair.first % 8, pair.second % 8) << machines << " machines: another rail";
        in.insert(pair.second), out.insert(pair.first);
      }
    }
    EXPECT_EQ(hops(found).size(), machines * (56 + 8));
    EXPECT_EQ(in.size(), machines * 8);
    EXPECT_EQ(out.size(), machines * 8);
  }
}

std::vector<Ring> chains(std::string_view name, std::vector<std::string> overrides) {
  platform::Parameters parameters;
  for (const std::string& text : overrides) parameters.push_back(platform::parse_parameter(text));
  const platform::Platform platform = platform::load(name, parameters).platform;
  return chains_over_mesh(first_devices(platform, platform.devices()));
}

// Each hop of a chain is a link of the cube mesh, where the order of the numbers has hops without one (3 to 4).
TEST(ChainsOverMesh, FollowLinks) {
  const platform::Platform platform = platform::load("dgx1_v100", {}).platform;
  const std::vector<Ring> found = chains("dgx1_v100", {"machines=3"});
  ASSERT_EQ(found.size(), 4);
  for (const Ring& chain : found)
    for (std::size_t place = 0; place + 1 < chain.size(); ++place) {
      if (chain[place] / 8 != chain[place + 1] / 8) continue;
      const auto route =
          platform.route(platform.device(chain[place] % 8), platform.device(chain[place + 1] % 8));
      EXPECT_EQ(route.links.size(), 1) << chain[place] << " -> " << chain[place + 1];
    }
  EXPECT_TRUE(chains("dgx1_v100", {}).empty());
}

TEST(RingsOverMesh, AreNotLookedForBehindSwitches) {
  EXPECT_TRUE(rings("dgx_a100").empty());
  EXPECT_TRUE(rings("workstation_2x4090").empty());
}

}  // namespace
}  // namespace wt::communication
