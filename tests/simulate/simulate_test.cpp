// Claims: the timeline of a plan on a described machine follows from the rates and latencies of its links,
// and each stream executes its nodes in order.

#include "simulate/simulate.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "platform/load.h"
#include "simulate/brute_force.h"
#include "simulate/play.h"
#include "simulate/translate.h"

namespace wt::simulate {
namespace {

using plan::DeviceId, plan::NodeId, plan::Stream, plan::Timeline;
using platform::Endpoint, platform::Platform;

constexpr double exactly = 1e-12;

Platform load(std::string_view name, const platform::Parameters& parameters = {}) {
  return platform::load(name, parameters).platform;
}

Platform described(const std::string& text) {
  return platform::from_json(json::parse(text, "test.json")).platform;
}

std::vector<Endpoint> devices_of(const Platform& platform) {
  std::vector<Endpoint> where;
  for (std::int32_t device = 0; device < platform.devices(); ++device)
    where.push_back(platform.device(device));
  return where;
}

// A plan with a buffer of one byte on each device. Its kernels are simulated and never run.
struct PlanOfWork {
  explicit PlanOfWork(std::size_t devices) {
    for (std::size_t device = 0; device < devices; ++device) {
      plan.devices.push_back({"gpu:" + std::to_string(device), {}});
      plan.add_buffer(
          {"b", DeviceId(static_cast<std::int32_t>(device)), Bytes(1), plan::BufferKind::gradient, {}});
    }
  }
  NodeId add(plan::Action action, double seconds, std::vector<NodeId> after, Stream stream) {
    const NodeId id = plan.add_node(std::move(action), "scope");
    plan.nodes.back().after = std::move(after);
    plan.nodes.back().stream = stream;
    costs.nodes.push_back({Seconds(seconds), Seconds(0)});
    return id;
  }
  NodeId run(std::int32_t device, double seconds, std::vector<NodeId> after = {},
             Stream stream = Stream::compute) {
    return add(plan::Run{.device = DeviceId(device)}, seconds, std::move(after), stream);
  }
  NodeId sum(std::int32_t device, double seconds, std::vector<NodeId> after = {},
             Stream stream = Stream::compute) {
    return add(plan::Sum{.device = DeviceId(device)}, seconds, std::move(after), stream);
  }
  NodeId move(std::int32_t from, std::int32_t to, std::int64_t bytes, double seconds = 0,
              std::vector<NodeId> after = {}) {
    const TensorSpec spec{Type::uint8, {bytes}};
    return add(plan::Move{{plan::BufferId(from), spec}, {plan::BufferId(to), spec}}, seconds,
               std::move(after), Stream::compute);
  }
  Timeline on(const Platform& platform, std::span<const Endpoint> where) const {
    return simulate(plan, costs, platform, where);
  }
  Timeline on(const Platform& platform) const { return on(platform, devices_of(platform)); }

  plan::Plan plan{};
  plan::Costs costs{};
};

double start_of(const Timeline& timeline, NodeId id) { return timeline.nodes[index(id)].start.count(); }
double end_of(const Timeline& timeline, NodeId id) { return timeline.nodes[index(id)].end.count(); }
void expect_relative(double value, double wanted) { EXPECT_NEAR(value, wanted, exactly * wanted); }

// The time of a transfer without other traffic, by the latency and bandwidth of its route.
double alone(const Platform& platform, Endpoint from, Endpoint to, std::int64_t bytes) {
  const platform::Route route = platform.route(from, to);
  return route.latency.count() + static_cast<double>(bytes) / route.bottleneck.count();
}

TEST(Simulate, OneTransferIsLatencyAndBytesOverTheBottleneck) {
  for (const std::string_view name : {"dgx_h100", "dgx1_v100", "workstation_2x4090", "ideal_switch"}) {
    const Platform platform = load(name);
    const Endpoint first = platform.device(0), last = platform.device(platform.devices() - 1);
    PlanOfWork work(2);
    const NodeId move = work.move(0, 1, 123'456'789, 5e-6);
    const Endpoint where[] = {first, last};
    const Timeline timeline = work.on(platform, where);
    expect_relative(end_of(timeline, move), 5e-6 + alone(platform, first, last, 123'456'789));
    EXPECT_EQ(start_of(timeline, move), 0);
    EXPECT_EQ(timeline.links.size(), platform.route(first, last).links.size());
    for (const plan::LinkUse& link : timeline.links) EXPECT_EQ(link.carried, Bytes(123'456'789));
  }
}

// A measured step may include the latency of the route, and may be shorter than that latency; then its cost
// is negative.
TEST(Simulate, ACostTakesLatencyAwayButNoMoreThanThereIs) {
  const Platform platform = load("ideal_switch");
  const double latency = platform.route(platform.device(0), platform.device(1)).latency.count();
  PlanOfWork work(4);
  const NodeId less = work.move(0, 1, 1'000'000, -0.25 * latency);
  const NodeId none = work.move(2, 0, 1'000'000, -2 * latency);
  const Timeline timeline = work.on(platform, devices_of(platform));
  const double all = alone(platform, platform.device(0), platform.device(1), 1'000'000);
  expect_relative(end_of(timeline, less), all - 0.25 * latency);
  expect_relative(end_of(timeline, none), all - latency);
}

TEST(Simulate, LinksCarryAProtocolsFlagsInWholeBytes) {
  const Platform platform = load("ideal_switch");
  PlanOfWork work(2);
  const NodeId move = work.move(0, 1, 1'000'001);
  for (const auto& [wire, carried] : {std::pair{1.0, 1'000'001}, {2.0, 2'000'002}, {1.5, 1'500'002}}) {
    work.costs.nodes[index(move)].wire = wire;
    const Timeline timeline = work.on(platform, std::vector{platform.device(0), platform.device(1)});
    for (const plan::LinkUse& link : timeline.links) EXPECT_EQ(link.carried, Bytes(carried));
    expect_relative(end_of(timeline, move), alone(platform, platform.device(0), platform.device(1), carried));
  }
}

TEST(Simulate, AMoveBehindAnotherPaysItsLatencyMeanwhile) {
  const Platform platform = load("ideal_switch");
  PlanOfWork work(2);
  const NodeId first = work.move(0, 1, 10'000'000), second = work.move(0, 1, 10'000'000);
  work.plan.nodes[index(second)].behind = first;
  const Timeline timeline = work.on(platform, std::vector{platform.device(0), platform.device(1)});
  const double one = alone(platform, platform.device(0), platform.device(1), 10'000'000);
  const double two = alone(platform, platform.device(0), platform.device(1), 20'000'000);
  expect_relative(end_of(timeline, first), one);
  expect_relative(end_of(timeline, second), two);
  EXPECT_EQ(start_of(timeline, second), 0);
}

TEST(Simulate, BothDirectionsRunAtFullRateAtOnce) {
  const Platform platform = load("dgx_h100");
  PlanOfWork work(8);
  const NodeId there = work.move(0, 1, 1 << 30), back = work.move(1, 0, 1 << 30);
  const Timeline timeline = work.on(platform);
  for (const NodeId id : {there, back})
    expect_relative(end_of(timeline, id), alone(platform, platform.device(0), platform.device(1), 1 << 30));
}

TEST(Simulate, TheUplinkOfTwoCardsHalves) {
  const Platform platform = described(R"({
    "machine": {
      "devices": { "type": "h100_sxm", "count": 2 },
      "hosts": { "type": "xeon_8480c" },
      "pcie": { "switches": 1, "bandwidth": "25 GB/s", "latency": "1 us" }
    }
  })");
  const std::vector<Endpoint> where = {platform.device(0), platform.device(1), platform.host(0)};
  constexpr std::int64_t bytes = 250'000'000;
  for (const std::int32_t senders : {1, 2}) {
    PlanOfWork work(3);
    for (std::int32_t device = 0; device < senders; ++device) work.move(device, 2, bytes);
    const Timeline timeline = work.on(platform, where);
    const double latency = platform.route(where[0], where[2]).latency.count();
    for (std::int32_t id = 0; id < senders; ++id)
      expect_relative(end_of(timeline, NodeId(id)), latency + senders * 0.01);
  }
}

TEST(Simulate, RailsDontShare) {
  const Platform platform = load("dgx_h100", {platform::parse_parameter("machines=2")});
  ASSERT_EQ(platform.devices(), 16);
  PlanOfWork work(16);
  for (std::int32_t rail = 0; rail < 8; ++rail) work.move(rail, 8 + rail, 1 << 28);
  const Timeline timeline = work.on(platform);
  for (std::int32_t rail = 0; rail < 8; ++rail)
    expect_relative(end_of(timeline, NodeId(rail)),
                    alone(platform, platform.device(rail), platform.device(8 + rail), 1 << 28));
}

TEST(Simulate, AStreamWorksOffItsNodesInOrderAndStreamsRunSideBySide) {
  PlanOfWork work(2);
  const NodeId late = work.run(0, 4e-3);
  const NodeId waits = work.run(1, 1e-3, {late});
  const NodeId behind = work.sum(1, 2e-3);  // It is ready at once, but behind `waits` in its stream.
  const NodeId beside = work.sum(1, 1e-3, {}, Stream::communication);
  const Platform platform = load("ideal_switch");
  const Endpoint where[] = {platform.device(0), platform.device(1)};
  const Timeline timeline = work.on(platform, where);
  EXPECT_EQ(start_of(timeline, waits), 4e-3);
  EXPECT_EQ(start_of(timeline, behind), end_of(timeline, waits));
  EXPECT_EQ(timeline.end.count(), end_of(timeline, behind));
  EXPECT_EQ(start_of(timeline, beside), 0);
  EXPECT_EQ(end_of(timeline, beside), 1e-3);
}

// Two logical devices on one card: kernels of its compute streams happen one after the other, in the order in which they
// become ready, and each device keeps its own order. Another card computes meanwhile.
TEST(Simulate, DevicesThatAreCutFromOneCardTakeTurnsOnIt) {
  const Platform platform = load("ideal_switch");
  const std::vector<Endpoint> where{platform.device(0), platform.device(0), platform.device(1)};
  PlanOfWork work(3);
  const NodeId first = work.run(0, 2);
  const NodeId second = work.run(1, 3);
  work.run(0, 1, {second});
  work.run(0, 4);
  work.run(2, 5);
  work.run(1, 1, {first}, Stream::communication);
  const Timeline timeline = work.on(platform, where);
  const auto begins = [&](std::int32_t node) { return start_of(timeline, NodeId(node)); };
  EXPECT_NEAR(begins(0), 0, exactly);
  EXPECT_NEAR(begins(1), 2, exactly);
  EXPECT_NEAR(begins(2), 5, exactly);
  EXPECT_NEAR(begins(3), 6, exactly) << "it is ready before, and stands behind in its stream";
  EXPECT_NEAR(begins(4), 0, exactly);
  EXPECT_NEAR(begins(5), 2, exactly) << "another stream";
  EXPECT_NEAR(timeline.end.count(), 10, exactly);
}

TEST(Simulate, MovesOverlapWithKernelsAndWithEachOther) {
  const Platform platform = load("dgx_h100");
  PlanOfWork work(8);
  const NodeId kernel = work.run(0, 1e-3);
  const NodeId move = work.move(0, 1, 1 << 20), second = work.move(2, 3, 1 << 20);
  const Timeline timeline = work.on(platform);
  for (const NodeId id : {kernel, move, second}) EXPECT_EQ(start_of(timeline, id), 0);
  EXPECT_LT(end_of(timeline, move), 1e-4);
}

TEST(Simulate, AMoveWithinADeviceOrWithoutBytesTakesNoLink) {
  const Platform platform = load("dgx_h100");
  PlanOfWork work(8);
  const NodeId within = work.move(3, 3, 1 << 20, 7e-6), empty = work.move(0, 1, 0, 7e-6);
  const Timeline timeline = work.on(platform);
  EXPECT_EQ(end_of(timeline, within), 7e-6);
  expect_relative(end_of(timeline, empty), 7e-6 + alone(platform, platform.device(0), platform.device(1), 0));
  EXPECT_TRUE(timeline.links.empty());
}

TEST(Simulate, LinksTellTheirNameLoadAndBusyTime) {
  const Platform platform = load("dgx_h100");
  PlanOfWork work(8);
  const NodeId first = work.move(0, 1, 1 << 20), second = work.move(0, 2, 1 << 20, 0, {first});
  const Timeline timeline = work.on(platform);
  const platform::Route route = platform.route(platform.device(0), platform.device(1));
  const plan::LinkUse& out = timeline.links.front();
  EXPECT_EQ(out.name, platform.name(route.links.front()));
  EXPECT_EQ(out.bandwidth, platform.link(route.links.front()).bandwidth);
  EXPECT_EQ(out.carried, Bytes(2 << 20));
  EXPECT_EQ(timeline.links.size(), 3U);
  EXPECT_NEAR(out.busy.count(), end_of(timeline, second) - 2 * route.latency.count(), exactly);
}

TEST(Simulate, RefusesCostsAndPlacesThatDontFitThePlan) {
  const Platform platform = load("dgx_h100");
  PlanOfWork work(2);
  work.run(0, 1e-3);
  EXPECT_THROW(work.on(platform, devices_of(platform)), InternalError);
  work.costs.nodes.clear();
  const Endpoint where[] = {platform.device(0), platform.device(1)};
  EXPECT_THROW(work.on(platform, where), InternalError);
}

// Kernels and moves in random order, on random places and between them.
PlanOfWork random_work(Dice& dice, std::int32_t places) {
  PlanOfWork work(static_cast<std::size_t>(places));
  for (std::int32_t count = 5 + dice.below(40), id = 0; id < count; ++id) {
    std::vector<NodeId> after;
    for (std::int32_t tries = id == 0 ? 0 : dice.below(3); tries > 0; --tries)
      after.push_back(NodeId(dice.below(id)));
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
    const double seconds = dice.below(2) == 0 ? 1e-5 : 4e-5 * dice.fraction();
    const std::int32_t place = dice.below(places), other = dice.below(places);
    const Stream stream = dice.below(2) == 0 ? Stream::compute : Stream::communication;
    if (dice.below(4) == 0)
      work.run(place, seconds, after, stream);
    else
      work.move(place, other, dice.below(3) == 0 ? 1 << 20 : dice.below(8 << 20), seconds, after);
  }
  return work;
}

TEST(Simulate, RandomPlansOnDescribedMachinesEndWhenABruteForceSimulatorSaysSo) {
  const Platform platforms[] = {load("dgx_h100", {platform::parse_parameter("machines=2")}),
                                load("dgx1_v100"), load("workstation_2x4090"),
                                load("tpu_v4", {platform::parse_parameter("slice=2x2x2")})};
  for (int seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    const Platform& platform = platforms[seed % 4];
    std::vector<Endpoint> where = devices_of(platform);
    for (std::int32_t host = 0; host < platform.hosts(); ++host) where.push_back(platform.host(host));
    const PlanOfWork work = random_work(dice, static_cast<std::int32_t>(where.size()));
    const Timeline timeline = work.on(platform, where);
    const Translation translation = translate(work.plan, work.costs, platform, where);
    const Outcome wanted = BruteForce(translation.job).play();
    for (std::size_t id = 0; id < work.plan.nodes.size(); ++id)
      EXPECT_NEAR(timeline.nodes[id].end.count(), wanted.activities[id].end, 1e-9 * wanted.activities[id].end)
          << seed << ": " << id;
  }
}

TEST(Simulate, TheSamePlanGivesTheSameBits) {
  const Platform platform = load("dgx1_v100");
  Dice dice(7);
  const PlanOfWork work = random_work(dice, platform.devices());
  const Timeline one = work.on(platform), other = work.on(platform);
  EXPECT_EQ(std::memcmp(one.nodes.data(), other.nodes.data(), one.nodes.size() * sizeof(plan::Span)), 0);
}

}  // namespace
}  // namespace wt::simulate
