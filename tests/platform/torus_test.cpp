// Claim: routes of grids are shortest paths of consecutive links in the order of the axes. The distances are
// those of a breadth-first search over neighbours, which this test determines independently.

#include "platform/torus.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "base/quantity_literals.h"

namespace wt::platform {
namespace {

struct Case {
  const char* shape;
  std::vector<bool> wraps;
  bool twisted = false;
  const char* block = nullptr;
};

const std::vector<Case> cases{
    {"5", {true}},
    {"6", {false}},
    {"2", {true}},
    {"4x4", {true, true}},
    {"3x5", {true, false}},
    {"4x4x4", {true, true, true}},
    {"1x2x3", {true, true, true}},
    {"4x4x8", {true, true, true}, false, "2x2x1"},
    {"3x4x2", {false, true, false}},
    {"2x4", {true, true}, true},
    {"4x8", {true, true}, true},
    {"8x4", {true, true}, true},
    {"3x3x6", {true, true, true}, true},
    {"4x4x8", {true, true, true}, true, "2x2x1"},
    {"4x8x8", {true, true, true}, true, "2x2x1"},
    {"4x8x4", {true, true, true}, true},
};

TorusFabric fabric_of(const Case& given) {
  const Shape shape = *parse_shape(given.shape);
  const Shape ones{std::vector<std::int32_t>(shape.axes(), 1)};
  return TorusFabric({shape, given.wraps, given.twisted, given.block ? *parse_shape(given.block) : ones},
                     {LinkKind::ici, 45_GBps, 1_us});
}

// The neighbour in the positive direction; none over an open end.
std::optional<Coordinates> neighbour(const Case& given, Coordinates place, std::size_t axis) {
  const Shape shape = *parse_shape(given.shape);
  if (++place[axis] < shape[axis]) return place;
  if (!given.wraps[axis] || shape[axis] == 1) return std::nullopt;
  place[axis] = 0;
  const std::int32_t shortest = *std::min_element(shape.extents.begin(), shape.extents.end());
  if (!given.twisted || shape[axis] != shortest) return place;
  for (std::size_t other = 0; other < shape.axes(); ++other)
    if (shape[other] != shortest) place[other] = (place[other] + shape[other] / 2) % shape[other];
  return place;
}

std::vector<std::vector<int>> neighbours(const Case& given, const TorusFabric& fabric, int ports) {
  std::vector<std::vector<int>> next(static_cast<std::size_t>(ports));
  for (int port = 0; port < ports; ++port) {
    for (std::size_t axis = 0; axis < parse_shape(given.shape)->axes(); ++axis) {
      const auto place = neighbour(given, fabric.coordinates(port), axis);
      if (!place) continue;
      const int other = fabric.port_at(*place);
      next[static_cast<std::size_t>(port)].push_back(other);
      next[static_cast<std::size_t>(other)].push_back(port);
    }
  }
  return next;
}

std::vector<int> distances(const std::vector<std::vector<int>>& next, int start) {
  std::vector<int> distance(next.size(), -1);
  distance[static_cast<std::size_t>(start)] = 0;
  for (std::deque<int> reached{start}; !reached.empty(); reached.pop_front()) {
    for (const int other : next[static_cast<std::size_t>(reached.front())]) {
      int& found = distance[static_cast<std::size_t>(other)];
      if (found >= 0) continue;
      found = distance[static_cast<std::size_t>(reached.front())] + 1;
      reached.push_back(other);
    }
  }
  return distance;
}

std::vector<LinkId> links(const TorusFabric& fabric, int from, int to) {
  Trail trail;
  fabric.route(from, to, LinkId(0), trail);
  return std::move(trail).route().links;
}

std::string port_name(std::int32_t port) { return std::to_string(port); }

class Grids : public testing::TestWithParam<Case> {};

TEST_P(Grids, HaveShortestRoutesOverLinksThatMeet) {
  const TorusFabric fabric = fabric_of(GetParam());
  const auto ports = static_cast<int>(parse_shape(GetParam().shape)->count());
  const auto next = neighbours(GetParam(), fabric, ports);
  for (int from = 0; from < ports; ++from) {
    const std::vector<int> distance = distances(next, from);
    for (int to = 0; to < ports; ++to) {
      const std::vector<LinkId> route = links(fabric, from, to);
      ASSERT_EQ(static_cast<int>(route.size()), distance[static_cast<std::size_t>(to)])
          << from << " to " << to;
      std::string at = port_name(from);
      for (const LinkId link : route) {
        const std::string name = fabric.name(static_cast<std::int32_t>(link), port_name);
        ASSERT_TRUE(name.starts_with(at + " -> ")) << name << " after " << at;
        at = name.substr(at.size() + 4);
      }
      ASSERT_EQ(at, port_name(to));
    }
  }
}

TEST_P(Grids, HaveTwoLinksForEachPairOfNeighbours) {
  const TorusFabric fabric = fabric_of(GetParam());
  const auto ports = static_cast<int>(parse_shape(GetParam().shape)->count());
  std::size_t ends = 0;
  for (const auto& of_one : neighbours(GetParam(), fabric, ports)) ends += of_one.size();
  EXPECT_EQ(static_cast<std::size_t>(fabric.links()), ends);
}

TEST_P(Grids, NumberPortsThereAndBack) {
  const TorusFabric fabric = fabric_of(GetParam());
  for (int port = 0; port < parse_shape(GetParam().shape)->count(); ++port)
    EXPECT_EQ(fabric.port_at(fabric.coordinates(port)), port);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Grids, testing::ValuesIn(cases));

std::vector<std::string> names(const TorusFabric& fabric, int from, int to) {
  std::vector<std::string> all;
  for (const LinkId link : links(fabric, from, to))
    all.push_back(fabric.name(static_cast<std::int32_t>(link), port_name));
  return all;
}

TEST(Torus, FollowsTheAxesInOrderAndTiesGoUp) {
  const TorusFabric torus = fabric_of({"4x4", {true, true}});
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(torus, 0, 15), (Names{"0 -> 12", "12 -> 15"}));  // both steps take the shorter way around
  EXPECT_EQ(names(torus, 0, 10), (Names{"0 -> 4", "4 -> 8", "8 -> 9", "9 -> 10"}));
  EXPECT_EQ(names(torus, 10, 0), (Names{"10 -> 14", "14 -> 2", "2 -> 3", "3 -> 0"}));
  const TorusFabric mesh = fabric_of({"4x4", {false, false}});
  EXPECT_EQ(names(mesh, 0, 12), (Names{"0 -> 4", "4 -> 8", "8 -> 12"}));
}

TEST(Torus, OfTwoHasALinkForEachStepRound) {
  const TorusFabric ring = fabric_of({"2", {true}});
  EXPECT_EQ(ring.links(), 4);
  EXPECT_EQ(names(ring, 0, 1), std::vector<std::string>{"0 -> 1"});
  EXPECT_NE(links(ring, 0, 1), links(ring, 1, 0));
}

TEST(Torus, NumbersTheChipsOfAHostTogether) {
  const TorusFabric torus = fabric_of({"4x4x8", {true, true, true}, false, "2x2x1"});
  EXPECT_EQ(torus.coordinates(3), (Coordinates{1, 1, 0, 0}));
  EXPECT_EQ(torus.coordinates(4), (Coordinates{0, 0, 1, 0}));
  EXPECT_EQ(torus.coordinates(4 * 8), (Coordinates{0, 2, 0, 0}));
}

int diameter(const Case& given) {
  const TorusFabric fabric = fabric_of(given);
  std::size_t most = 0;
  for (int to = 0; to < parse_shape(given.shape)->count(); ++to)
    most = std::max(most, links(fabric, 0, to).size());
  return static_cast<int>(most);
}

TEST(Torus, IsNarrowerWhenTwisted) {
  EXPECT_EQ(diameter({"4x4x8", {true, true, true}}), 8);
  EXPECT_EQ(diameter({"4x4x8", {true, true, true}, true}), 6);
  EXPECT_EQ(diameter({"4x8x8", {true, true, true}}), 10);
  EXPECT_EQ(diameter({"4x8x8", {true, true, true}, true}), 6);
}

TEST(Torus, CanBeTwistedWhereItsLongAxesAreTwiceTheShortOnes) {
  for (const char* shape : {"4x8", "4x4x8", "8x4x4", "4x8x8"})
    EXPECT_TRUE(can_be_twisted(*parse_shape(shape)));
  for (const char* shape : {"8", "4x4", "4x4x4", "4x8x16", "2x2x2x4"})
    EXPECT_FALSE(can_be_twisted(*parse_shape(shape)));
}

}  // namespace
}  // namespace wt::platform
