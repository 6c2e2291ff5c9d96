#pragma once
// tf.tpu.experimental.Topology: the coordinates in the mesh of each TPU of each task
// (tensorflow/python/tpu/topology.py). Coordinates are (x, y, z, core); x, y and z are the axes of a slice in
// the order in which its shape is written. The slice 4x4 of TPU v3 is the mesh 4x4x1x2: task 0 has the chips
// (0,0), (0,1), (1,0) and (1,1) with two cores each. The TPUs of a task are numbered as the platform numbers
// its devices, with the last axis fastest; on real hosts x is the fastest axis.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/narrow.h"
#include "device/name.h"
#include "platform/platform.h"
#include "platform/slice.h"

namespace wt::cluster {

inline constexpr std::size_t mesh_rank = 4;
using Coordinates = platform::Coordinates;                        // of one TPU
using DeviceCoordinates = std::vector<std::vector<Coordinates>>;  // by task and device

class Topology {
 public:
  // Throws ValueError if the shape is not that of a mesh, if a TPU is outside of the mesh, if two TPUs have
  // the same coordinates, or if tasks have different numbers of TPUs. Places of the mesh without a TPU count
  // as missing.
  Topology(const std::vector<int>& mesh_shape, DeviceCoordinates device_coordinates);

  const platform::Shape& mesh_shape() const { return mesh_; }
  const DeviceCoordinates& device_coordinates() const { return devices_; }
  int num_tasks() const { return narrow<int>(devices_.size()); }
  int num_tpus_per_task() const { return devices_.empty() ? 0 : narrow<int>(devices_.front().size()); }
  std::vector<Coordinates> missing_devices() const;
  bool is_complete() const;

  // These functions throw ValueError for coordinates outside of the mesh. -1: the TPU is missing.
  int task_ordinal_at_coordinates(const Coordinates& at) const { return tasks_[place(at)]; }
  int tpu_device_ordinal_at_coordinates(const Coordinates& at) const { return ordinals_[place(at)]; }

  // "/job:worker/task:1/device:TPU:3". As in TensorFlow, the name has no replica.
  device::Name tpu_device_name_at_coordinates(const Coordinates& at,
                                              const std::optional<std::string>& job = {}) const;
  device::Name cpu_device_name_at_coordinates(const Coordinates& at,
                                              const std::optional<std::string>& job = {}) const;

 private:
  std::size_t place(const Coordinates& at) const;
  void settle(const DeviceCoordinates& devices);

  platform::Shape mesh_{};
  DeviceCoordinates devices_{};
  std::vector<int> tasks_{};     // the task of each place of the mesh; -1: the TPU is missing
  std::vector<int> ordinals_{};  // the index in its task of the TPU at each place; -1: the TPU is missing
};

Topology topology_of(const platform::Slice& slice);

// The topology of the platform's slice. Throws InputError if the platform has no slice or several.
Topology topology_of(const platform::Platform& platform);

// The text that numpy prints: "[ 4  4 16  1]".
std::string print_array(std::span<const std::int32_t> numbers);

}  // namespace wt::cluster
