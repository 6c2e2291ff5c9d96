#pragma once
// Logical devices, on which a program places its operations. A logical device is a physical device or a part
// of one: a GPU can be split into several logical GPUs with a memory limit each
// (tf.config.set_logical_device_configuration). The code calls such a device "cut", and its parts "pieces".

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/allocator.h"
#include "device/environment.h"
#include "device/name.h"
#include "device/physical_device.h"

namespace wt::device {

// The configuration of one logical device. TensorFlow's memory_limit=1024 is 1024_MiB here.
struct LogicalDeviceConfiguration {
  std::optional<Bytes> memory_limit{};               // required for a GPU, illegal for a CPU
  std::optional<int> experimental_priority{};        // the priority of its stream; lower numbers run first
  std::optional<int> experimental_device_ordinal{};  // the order of the logical devices of all GPUs
  friend bool operator==(const LogicalDeviceConfiguration&, const LogicalDeviceConfiguration&) = default;
};

using LogicalDeviceConfigurations = std::vector<LogicalDeviceConfiguration>;

// A device on which a program places operations.
struct LogicalDevice {
  Name name{};                            // a full name
  PhysicalDevice physical{};              // may be shared by several logical devices
  std::optional<MemoryOptions> memory{};  // nothing for a CPU, whose memory is not limited
  int priority = 0;
};

// The input of create_devices: the devices of one task and their configuration.
struct DeviceRequest {
  Name task{.job = "localhost", .replica = 0, .task = 0};
  std::vector<PhysicalDevice> visible{};                                      // sorted by kind and index
  std::vector<std::pair<PhysicalDevice, LogicalDeviceConfigurations>> cut{};  // the devices that are split
  bool allow_growth = false;
  Environment environment{};
};

// The result of create_devices.
struct CreatedDevices {
  std::vector<LogicalDevice> devices{};  // CPUs, GPUs, TPUs
  std::vector<std::string> log{};        // "Created device /job:localhost/... with 13571 MB memory:  -> ..."
};

// Creates the logical devices as TensorFlow's runtime does, with its log lines. Throws OpError with
// TensorFlow's text for configurations that the runtime rejects.
CreatedDevices create_devices(const DeviceRequest& request);

// "/device:GPU:0" for a device of the job localhost, and the full name for a device in a cluster.
std::string short_name(const LogicalDevice& device);
std::string repr(const LogicalDevice& device);  // "LogicalDevice(name='/device:GPU:0', device_type='GPU')"

}  // namespace wt::device
