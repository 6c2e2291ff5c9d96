#include "cluster/tpu_topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/narrow.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

using device::ValueError;
using platform::Shape;

constexpr std::int64_t most_places = std::int64_t{1} << 24;

void check_mesh(const std::vector<int>& mesh) {
  const bool is_positive = std::all_of(mesh.begin(), mesh.end(), [](int extent) { return extent > 0; });
  if (mesh.size() != mesh_rank || !is_positive)
    throw ValueError(fmt::format("`mesh_shape` must be a sequence of 4 positive entries; got `mesh_shape={}`",
                                 print_array(mesh)));
  std::int64_t places = 1;
  for (const int extent : mesh) places = std::min(places, most_places) * extent;
  if (places > most_places)
    throw ValueError(
        fmt::format("a mesh of shape {} has more than {} places", print_array(mesh), most_places));
}

std::string print(const Coordinates& at) { return fmt::format("({})", fmt::join(at, ", ")); }

}  // namespace

std::string print_array(std::span<const std::int32_t> numbers) {
  std::size_t width = 0;
  for (const std::int32_t number : numbers) width = std::max(width, fmt::format("{}", number).size());
  std::vector<std::string> padded;
  for (const std::int32_t number : numbers) padded.push_back(fmt::format("{:>{}}", number, width));
  return fmt::format("[{}]", fmt::join(padded, " "));
}

Topology::Topology(const std::vector<int>& mesh_shape, DeviceCoordinates device_coordinates) {
  check_mesh(mesh_shape);
  mesh_.extents.assign(mesh_shape.begin(), mesh_shape.end());
  tasks_.assign(static_cast<std::size_t>(mesh_.count()), -1);
  ordinals_ = tasks_;
  settle(device_coordinates);
  devices_ = std::move(device_coordinates);
}

// Enters the task and the index of each TPU at its place.
void Topology::settle(const DeviceCoordinates& devices) {
  for (std::size_t task = 0; task < devices.size(); ++task) {
    if (devices[task].size() != devices[0].size())
      throw ValueError(
          fmt::format("task {} has {} TPUs and task 0 has {}; all tasks must have the same number", task,
                      devices[task].size(), devices[0].size()));
    for (std::size_t device = 0; device < devices[task].size(); ++device) {
      const Coordinates& at = devices[task][device];
      const std::size_t here = place(at);
      if (tasks_[here] >= 0) throw ValueError(fmt::format("two TPUs have the coordinates {}", print(at)));
      tasks_[here] = narrow<int>(task);
      ordinals_[here] = narrow<int>(device);
    }
  }
}

std::size_t Topology::place(const Coordinates& at) const {
  for (std::size_t axis = 0; axis < mesh_rank; ++axis) {
    if (at[axis] >= 0 && at[axis] < mesh_[axis]) continue;
    throw ValueError(fmt::format("coordinates {} lie outside of the TPU topology shape {}", print(at),
                                 print_array(mesh_.extents)));
  }
  return static_cast<std::size_t>(platform::number_of(at, mesh_));
}

std::vector<Coordinates> Topology::missing_devices() const {
  std::vector<Coordinates> missing;
  for (std::size_t number = 0; number < tasks_.size(); ++number)
    if (tasks_[number] < 0)
      missing.push_back(platform::coordinates_of(static_cast<std::int32_t>(number), mesh_));
  return missing;
}

bool Topology::is_complete() const { return std::find(tasks_.begin(), tasks_.end(), -1) == tasks_.end(); }

device::Name Topology::tpu_device_name_at_coordinates(const Coordinates& at,
                                                      const std::optional<std::string>& job) const {
  return {.job = job,
          .task = task_ordinal_at_coordinates(at),
          .kind = device::Kind::tpu,
          .index = tpu_device_ordinal_at_coordinates(at)};
}

device::Name Topology::cpu_device_name_at_coordinates(const Coordinates& at,
                                                      const std::optional<std::string>& job) const {
  return {.job = job, .task = task_ordinal_at_coordinates(at), .kind = device::Kind::cpu, .index = 0};
}

// A task is a host with its block of chips. If cores are devices, the last axis of the mesh counts the cores
// of a chip.
Topology topology_of(const platform::Slice& slice) {
  const std::size_t axes = slice.shape.axes();
  WT_EXPECT(axes < mesh_rank, axes);
  const std::int32_t devices_per_chip = slice.devices_per_chip();
  std::vector<int> mesh(mesh_rank, 1);
  Shape blocks;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    mesh[axis] = slice.shape[axis];
    blocks.extents.push_back(slice.shape[axis] / slice.host[axis]);
  }
  mesh.back() = devices_per_chip;
  DeviceCoordinates devices(static_cast<std::size_t>(slice.hosts));
  for (std::int32_t task = 0; task < slice.hosts; ++task) {
    const Coordinates block = platform::coordinates_of(task, blocks);
    for (std::int32_t device = 0; device < slice.devices_per_host; ++device) {
      Coordinates at = platform::coordinates_of(device / devices_per_chip, slice.host);
      for (std::size_t axis = 0; axis < axes; ++axis) at[axis] += block[axis] * slice.host[axis];
      at.back() = device % devices_per_chip;
      devices[static_cast<std::size_t>(task)].push_back(at);
    }
  }
  return {mesh, std::move(devices)};
}

Topology topology_of(const platform::Platform& platform) {
  const platform::Slice* slice = platform.slice();
  if (slice == nullptr)
    throw InputError(fmt::format("TPUs not found in the cluster: {} has none", platform.name()),
                     "choose a platform with TPUs, such as tpu_v4");
  if (platform.machines() != slice->hosts)
    throw InputError(fmt::format("{} has {} slices, and a TPU topology describes one", platform.name(),
                                 platform.machines() / slice->hosts),
                     "set \"slices\" to 1");
  return topology_of(*slice);
}

}  // namespace wt::cluster
