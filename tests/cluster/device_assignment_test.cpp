// Claim: replicas get the same cores of the mesh as by TensorFlow's DeviceAssignment.build.

#include "cluster/device_assignment.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "cluster/refusal.h"
#include "cluster/ring_order.h"
#include "platform/platforms.h"

namespace wt::cluster {
namespace {

using platform::platform_of;
using Replica = std::vector<Coordinates>;

Topology v3_8() { return topology_of(platform_of("tpu_v3", {"slice=v3-8"})); }

// A mesh of any shape with a single task, which has all of its TPUs.
Topology mesh(const std::vector<int>& shape) {
  DeviceCoordinates devices(1);
  for (int x = 0; x < shape[0]; ++x)
    for (int y = 0; y < shape[1]; ++y)
      for (int z = 0; z < shape[2]; ++z)
        for (int core = 0; core < shape[3]; ++core) devices[0].push_back({x, y, z, core});
  return {shape, devices};
}

std::vector<Coordinates> firsts(const DeviceAssignment& assignment) {
  std::vector<Coordinates> cores;
  for (const Replica& replica : assignment.core_assignment()) cores.push_back(replica.front());
  return cores;
}

TEST(DeviceAssignment, ST15_EightReplicasOfOneCoreFillTheChipsOfV3_8) {
  const DeviceAssignment assignment = DeviceAssignment::build(v3_8(), {.num_replicas = 8});
  EXPECT_EQ(assignment.num_cores_per_replica(), 1);
  EXPECT_EQ(firsts(assignment), (std::vector<Coordinates>{{0, 0, 0, 0},
                                                          {0, 0, 0, 1},
                                                          {1, 0, 0, 0},
                                                          {1, 0, 0, 1},
                                                          {0, 1, 0, 0},
                                                          {0, 1, 0, 1},
                                                          {1, 1, 0, 0},
                                                          {1, 1, 0, 1}}));
}

TEST(DeviceAssignment, G18_FourReplicasOfTwoCoresFormARing) {
  const DeviceAssignment assignment =
      DeviceAssignment::build(v3_8(), {.computation_shape = {1, 1, 1, 2}, .num_replicas = 4});
  EXPECT_EQ(assignment.core_assignment(), (CoreAssignment{{{0, 0, 0, 0}, {0, 0, 0, 1}},
                                                          {{1, 0, 0, 0}, {1, 0, 0, 1}},
                                                          {{1, 1, 0, 0}, {1, 1, 0, 1}},
                                                          {{0, 1, 0, 0}, {0, 1, 0, 1}}}));
  EXPECT_EQ(print(assignment),
            "z = 0\n"
            "  0,0  1,1\n"
            "  3,3  2,2\n");
}

// The expected values of the next three tests are worked out by hand from device_assignment.py.
TEST(DeviceAssignment, ST15_FewReplicasTakeBothCoresOfAChipFirst) {
  const Topology v3_32 = mesh({4, 4, 1, 2});
  EXPECT_EQ(firsts(DeviceAssignment::build(v3_32, {.num_replicas = 4})),
            (std::vector<Coordinates>{{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1, 0, 0, 1}}));
  EXPECT_EQ(print(DeviceAssignment::build(v3_32, {.num_replicas = 4})),
            "z = 0\n"
            "  0,1  2,3  -,-  -,-\n"
            "  -,-  -,-  -,-  -,-\n"
            "  -,-  -,-  -,-  -,-\n"
            "  -,-  -,-  -,-  -,-\n");
}

TEST(DeviceAssignment, ST15_PrefersAHostsChipsWhereAxesAreEqual) {
  EXPECT_EQ(firsts(DeviceAssignment::build(mesh({2, 2, 2, 2}), {.num_replicas = 4})),
            (std::vector<Coordinates>{{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1, 0, 0, 1}}));
}

TEST(DeviceAssignment, G18_StridesLeaveRoomForOtherReplicas) {
  const DeviceAssignment assignment = DeviceAssignment::build(
      mesh({4, 1, 1, 1}),
      {.computation_shape = {2, 1, 1, 1}, .computation_stride = {2, 1, 1, 1}, .num_replicas = 2});
  EXPECT_EQ(assignment.core_assignment(),
            (CoreAssignment{{{0, 0, 0, 0}, {2, 0, 0, 0}}, {{1, 0, 0, 0}, {3, 0, 0, 0}}}));
}

TEST(DeviceAssignment, ST15_WholeTorusOfMegacoresIsARingOfReplicas) {
  const DeviceAssignment assignment = DeviceAssignment::build(mesh({4, 4, 2, 1}), {.num_replicas = 32});
  const std::vector<Coordinates> order = firsts(assignment);
  for (std::size_t replica = 0; replica < order.size(); ++replica) {
    const Coordinates& next = order[(replica + 1) % order.size()];
    int steps = 0;
    for (std::size_t axis = 0; axis < mesh_rank; ++axis) steps += std::abs(order[replica][axis] - next[axis]);
    EXPECT_EQ(steps, 1) << replica;
  }
  EXPECT_TRUE(assignment.log().empty());
}

TEST(DeviceAssignment, ST15_TheOrderCanBeRequested) {
  const Computation all{.num_replicas = 4, .device_order_mode = DeviceOrder::mesh};
  EXPECT_EQ(firsts(DeviceAssignment::build(mesh({2, 2, 1, 1}), all)),
            (std::vector<Coordinates>{{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}}));
  EXPECT_EQ(firsts(DeviceAssignment::build(mesh({2, 2, 1, 1}),
                                           {.num_replicas = 4, .device_order_mode = DeviceOrder::ring})),
            (std::vector<Coordinates>{{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 0}}));
  EXPECT_EQ(refusal([] {
              DeviceAssignment::build(v3_8(), {.num_replicas = 8, .device_order_mode = DeviceOrder::ring});
            }),
            "ValueError: device_order_mode=DeviceOrderMode.RING is not compatible with the 3D tiling current "
            "topology. "
            " Try setting device_order_mode=DeviceOrderMode.AUTO");
}

TEST(DeviceAssignment, ST15_OddExtentsGiveARowByRowOrderAndAWarning) {
  const DeviceAssignment assignment = DeviceAssignment::build(mesh({3, 2, 1, 1}), {.num_replicas = 6});
  EXPECT_EQ(assignment.log(), (std::vector<std::string>{"Odd dimension"}));
  EXPECT_EQ(firsts(assignment)[3], (Coordinates{0, 1, 0, 0}));
}

TEST(DeviceAssignment, ST15_FindsDevicesAndReplicas) {
  const Topology topology = topology_of(platform_of("tpu_v3", {"slice=v3-32"}));
  const DeviceAssignment assignment =
      DeviceAssignment::build(topology, {.computation_shape = {1, 1, 1, 2}, .num_replicas = 16});
  EXPECT_EQ(assignment.coordinates(4, 1), (Coordinates{3, 1, 0, 1}));
  EXPECT_EQ(print(assignment.tpu_device(4, 1, "worker")), "/job:worker/task:2/device:TPU:7");
  EXPECT_EQ(print(assignment.host_device(4, 1)), "/task:2/device:CPU:0");
  EXPECT_EQ(assignment.tpu_ordinal(4, 1), 7);
  EXPECT_EQ(assignment.lookup_replicas(0, 0), (std::vector<int>{0, 1, 6, 15}));
  EXPECT_EQ(refusal([&] { assignment.lookup_replicas(4, 0); }),
            "ValueError: Can not find any replica in task: 4 contains logical_core: 0 ");
  EXPECT_EQ(refusal([&] { assignment.tpu_ordinal(16, 0); }),
            "ValueError: there is no core 0 of replica 16: there are 16 replicas of 2 cores");
}

TEST(DeviceAssignment, ST15_RefusesInTensorFlowsWords) {
  const auto answer = [](const Computation& computation) {
    return refusal([&] { DeviceAssignment::build(v3_8(), computation); });
  };
  EXPECT_EQ(answer({.computation_shape = {2, 2}}),
            "ValueError: computation_shape must have shape [4]; got (2,)");
  EXPECT_EQ(answer({.computation_stride = {1, 1, 1, 1, 1}}),
            "ValueError: computation_stride must have shape [4]; got (5,)");
  EXPECT_EQ(answer({.computation_shape = {1, 0, 1, 1}}),
            "ValueError: computation_shape must be positive; got computation_shape=[1 0 1 1]");
  EXPECT_EQ(answer({.computation_stride = {1, 1, 1, -1}}),
            "ValueError: computation_stride must be positive; got computation_stride=[ 1  1  1 -1]");
  EXPECT_EQ(answer({.computation_shape = {2, 2, 2, 2}}),
            "ValueError: computation footprint [2 2 2 2] does not fit in TPU topology shape [2 2 1 2]");
  EXPECT_EQ(answer({.computation_shape = {1 << 30, 1, 1, 1}, .computation_stride = {1 << 30, 1, 1, 1}})
                .substr(0, 50),
            "ValueError: computation footprint [115292150460684");
  EXPECT_EQ(
      answer({.num_replicas = 9}),
      "ValueError: requested 9 replicas but only 8 replicas with shape [1 1 1 1] and computation_stride "
      "[1 1 1 1] fit in a TPU mesh of shape [2 2 1 2]");
  EXPECT_EQ(answer({.num_replicas = 0}), "ValueError: num_replicas must be positive; got num_replicas=0");
}

TEST(DeviceAssignment, ST15_WhereTpusAreMissingTheOthersAreTakenTaskByTask) {
  const Topology degraded({2, 2, 1, 1}, {{{1, 1, 0, 0}}, {{0, 0, 0, 0}}, {{0, 1, 0, 0}}});
  EXPECT_EQ(firsts(DeviceAssignment::build(degraded, {.num_replicas = 3})),
            (std::vector<Coordinates>{{1, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}}));
  EXPECT_EQ(refusal([&] { DeviceAssignment::build(degraded, {.num_replicas = 4}); }),
            "ValueError: requested 4 replicas of 1 cores but only 3 TPUs are present");
  EXPECT_EQ(refusal([&] {
              DeviceAssignment::build(degraded, {.computation_stride = {2, 1, 1, 1}});
            }),
            "ValueError: computation_stride must be 1 on every axis if TPUs are missing");
  EXPECT_EQ(refusal([&] {
              DeviceAssignment(degraded, {{{1, 0, 0, 0}}});
            }),
            "ValueError: there is no TPU at (1, 0, 0, 0), the coordinates of core 0 of replica 0");
  EXPECT_EQ(refusal([&] {
              DeviceAssignment(degraded, {{{0, 0, 0, 0}}, {}});
            }),
            "ValueError: replica 1 has 0 cores and replica 0 has 1; all replicas must have the same number");
}

// No assignment that fits uses a core twice or a core outside of the mesh.
TEST(DeviceAssignment, GivesEveryReplicaCoresOfItsOwn) {
  std::mt19937 random(11);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  int built = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<int> shape = {1 + below(5), 1 + below(5), 1 + below(3), 1 + below(2)};
    Computation computation{.num_replicas = 1 + below(12)};
    for (std::size_t axis = 0; axis < mesh_rank; ++axis) {
      computation.computation_shape[axis] = 1 + below(2);
      computation.computation_stride[axis] = 1 + below(4) / 3;
    }
    try {
      const DeviceAssignment assignment = DeviceAssignment::build(mesh(shape), computation);
      std::set<Coordinates> used;
      for (const Replica& replica : assignment.core_assignment()) used.insert(replica.begin(), replica.end());
      EXPECT_EQ(static_cast<int>(used.size()),
                assignment.num_replicas() * assignment.num_cores_per_replica());
      EXPECT_EQ(assignment.num_replicas(), computation.num_replicas);
      ++built;
    } catch (const device::ValueError&) {  // the computation does not fit
    }
  }
  EXPECT_GT(built, 300);
}

TEST(RingOrder, LeadsThroughEveryPlaceAndBack) {
  for (const Place3& extents : {Place3{2, 2, 1}, {4, 4, 4}, {1, 4, 6}, {6, 1, 2}, {8, 2, 4}, {2, 2, 2}}) {
    const RingOrder order = ring_order(extents);
    EXPECT_TRUE(order.is_ring);
    EXPECT_EQ(std::set<Place3>(order.places.begin(), order.places.end()).size(), order.places.size());
    EXPECT_EQ(static_cast<int>(order.places.size()), extents[0] * extents[1] * extents[2]);
    for (std::size_t step = 0; step < order.places.size(); ++step) {
      const Place3& next = order.places[(step + 1) % order.places.size()];
      int moved = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) moved += std::abs(order.places[step][axis] - next[axis]);
      EXPECT_EQ(moved, 1);
    }
  }
  EXPECT_FALSE(ring_order({3, 2, 1}).is_ring);
  EXPECT_TRUE(ring_order({5, 1, 1}).is_ring) << "a line, in TensorFlow too without a warning";
}

// The picture of the 4x4x4 ring in device_assignment.py: the order goes through planes 1 and 3 backwards.
TEST(RingOrder, ST15_FollowsTensorFlowsPictureOfACube) {
  const std::vector<Place3> order = ring_order({4, 4, 4}).places;
  EXPECT_EQ(order[3], (Place3{3, 0, 0}));
  EXPECT_EQ(order[4], (Place3{3, 1, 0}));
  EXPECT_EQ(order[13], (Place3{0, 3, 0}));
  EXPECT_EQ(order[15], (Place3{0, 1, 0}));
  EXPECT_EQ(order[16], (Place3{0, 1, 1}));
  EXPECT_EQ(order[30], (Place3{1, 0, 1}));
  EXPECT_EQ(order[31], (Place3{1, 0, 2}));
  EXPECT_EQ(order[60], (Place3{1, 0, 3}));
  EXPECT_EQ(order[61], (Place3{0, 0, 3}));
  EXPECT_EQ(order[63], (Place3{0, 0, 1}));
}

}  // namespace
}  // namespace wt::cluster
