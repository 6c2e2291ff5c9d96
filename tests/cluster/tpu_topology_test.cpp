// Claim: the topology of a slice is its mesh in TensorFlow's form. Neighbours in the mesh are neighbours on
// the platform.

#include "cluster/tpu_topology.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cluster/cluster.h"
#include "cluster/refusal.h"
#include "platform/platforms.h"

namespace wt::cluster {
namespace {

using platform::platform_of;
using Extents = std::vector<std::int32_t>;

Topology topology(const char* platform, const std::string& slice) {
  return topology_of(platform_of(platform, {("slice=" + slice).c_str()}));
}

TEST(TpuTopology, ST15_SlicesHaveTensorFlowsMeshes) {
  struct Row {
    const char* platform;
    const char* slice;
    Extents mesh;
    int tasks;
    int tpus;
  };
  const Row rows[] = {{"tpu_v2", "v2-8", {2, 2, 1, 2}, 1, 8},    {"tpu_v3", "v3-8", {2, 2, 1, 2}, 1, 8},
                      {"tpu_v3", "v3-32", {4, 4, 1, 2}, 4, 8},   {"tpu_v4", "v4-8", {2, 2, 1, 1}, 1, 4},
                      {"tpu_v4", "v4-32", {2, 2, 4, 1}, 4, 4},   {"tpu_v4", "4x4x8", {4, 4, 8, 1}, 32, 4},
                      {"tpu_v5e", "2x4", {2, 4, 1, 1}, 1, 8},    {"tpu_v5e", "4x8", {4, 8, 1, 1}, 8, 4},
                      {"tpu_v7", "tpu7x-32", {2, 2, 4, 2}, 4, 8}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.slice);
    const Topology found = topology(row.platform, row.slice);
    EXPECT_EQ(found.mesh_shape().extents, row.mesh);
    EXPECT_EQ(found.num_tasks(), row.tasks);
    EXPECT_EQ(found.num_tpus_per_task(), row.tpus);
    EXPECT_TRUE(found.is_complete());
  }
}

TEST(TpuTopology, ST15_NamesWhatIsAtCoordinates) {
  const Topology v3 = topology("tpu_v3", "v3-32");
  EXPECT_EQ(v3.device_coordinates()[0][1], (Coordinates{0, 0, 0, 1})) << "a chip's two cores are neighbours";
  EXPECT_EQ(print(v3.tpu_device_name_at_coordinates({0, 1, 0, 1})), "/task:0/device:TPU:3");
  EXPECT_EQ(print(v3.tpu_device_name_at_coordinates({3, 2, 0, 1}, "worker")),
            "/job:worker/task:3/device:TPU:5");
  EXPECT_EQ(print(v3.cpu_device_name_at_coordinates({3, 2, 0, 1}, "worker")),
            "/job:worker/task:3/device:CPU:0");
  EXPECT_EQ(refusal([&] {
              v3.task_ordinal_at_coordinates({4, 0, 0, 0});
            }),
            "ValueError: coordinates (4, 0, 0, 0) lie outside of the TPU topology shape [4 4 1 2]");
}

// The number of steps between two chips of an open or closed grid.
int distance(const Topology& topology, const platform::Slice& slice, const Coordinates& from,
             const Coordinates& to) {
  int steps = 0;
  for (std::size_t axis = 0; axis < slice.shape.axes(); ++axis) {
    const int straight = std::abs(from[axis] - to[axis]);
    const bool wraps = slice.wraps[axis] && topology.mesh_shape()[axis] > 2;
    steps += wraps ? std::min(straight, topology.mesh_shape()[axis] - straight) : straight;
  }
  return steps;
}

TEST(TpuTopology, G13_CoordinatesAreThoseOfThePlatformsRoutes) {
  for (const auto& [name, slice] :
       {std::pair{"tpu_v3", "slice=v3-32"}, {"tpu_v4", "slice=4x4x4"}, {"tpu_v5e", "slice=4x8"}}) {
    SCOPED_TRACE(slice);
    const platform::Platform platform = platform_of(name, {slice});
    const Topology topology = topology_of(platform);
    const Cluster cluster = cluster_of(platform);
    const Task& first = cluster.tasks.at(0);
    for (const Task& task : cluster.tasks) {
      for (std::size_t device = 0; device < task.devices.size(); ++device) {
        int links = 0;
        for (const platform::LinkId link : platform.route(first.devices[0], task.devices[device]).links)
          links += platform.link(link).kind == platform::LinkKind::ici;
        const Coordinates& at = topology.device_coordinates()[static_cast<std::size_t>(task.index)][device];
        EXPECT_EQ(links, distance(topology, *platform.slice(), topology.device_coordinates()[0][0], at));
        EXPECT_EQ(topology.tpu_device_ordinal_at_coordinates(at), device_name(cluster, task, device).index);
      }
    }
  }
}

TEST(TpuTopology, ListsMissingDevices) {
  const Topology half({2, 1, 1, 2}, {{{0, 0, 0, 0}, {0, 0, 0, 1}}});
  EXPECT_EQ(half.missing_devices(), (std::vector<Coordinates>{{1, 0, 0, 0}, {1, 0, 0, 1}}));
  EXPECT_FALSE(half.is_complete());
  EXPECT_EQ(half.task_ordinal_at_coordinates({1, 0, 0, 0}), -1);
}

TEST(TpuTopology, RefusesWhatIsNoMesh) {
  const auto answer = [](const std::vector<int>& mesh, const DeviceCoordinates& devices) {
    return refusal([&] { Topology(mesh, devices); });
  };
  EXPECT_EQ(answer({2, 2, 2}, {}),
            "ValueError: `mesh_shape` must be a sequence of 4 positive entries; got `mesh_shape=[2 2 2]`");
  EXPECT_EQ(
      answer({2, 2, 0, 16}, {}),
      "ValueError: `mesh_shape` must be a sequence of 4 positive entries; got `mesh_shape=[ 2  2  0 16]`");
  EXPECT_EQ(answer({1 << 30, 1 << 30, 1 << 30, 1 << 30}, {}),
            "ValueError: a mesh of shape [1073741824 1073741824 1073741824 1073741824] has more than "
            "16777216 places");
  EXPECT_EQ(answer({1, 1, 1, 2}, {{{0, 0, 0, 2}}}),
            "ValueError: coordinates (0, 0, 0, 2) lie outside of the TPU topology shape [1 1 1 2]");
  EXPECT_EQ(answer({1, 1, 1, 2}, {{{0, 0, 0, 1}}, {{0, 0, 0, 1}}}),
            "ValueError: two TPUs have the coordinates (0, 0, 0, 1)");
  EXPECT_EQ(answer({1, 1, 1, 2}, {{{0, 0, 0, 1}}, {}}),
            "ValueError: task 1 has 0 TPUs and task 0 has 1; all tasks must have the same number");
}

}  // namespace
}  // namespace wt::cluster
