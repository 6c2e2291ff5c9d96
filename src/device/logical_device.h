#pragma once
// What a program computes on: a physical device, or a piece of one.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/allocator.h"
#include "device/environment.h"
#include "device/name.h"
#include "device/physical_device.h"

namespace wt::device {

// One piece of a physical device. TensorFlow counts the limit in MiB: 1024_MiB is its memory_limit=1024.
struct LogicalDeviceConfiguration {
  std::optional<Bytes> memory_limit{};               // of a GPU always, of a CPU never
  std::optional<int> experimental_priority{};        // of its stream; lower runs first
  std::optional<int> experimental_device_ordinal{};  // logical indices follow it, then the order of the list
  friend bool operator==(const LogicalDeviceConfiguration&, const LogicalDeviceConfiguration&) = default;
};

using LogicalDeviceConfigurations = std::vector<LogicalDeviceConfiguration>;

struct LogicalDevice {
  Name name{};                // nothing open
  PhysicalDevice physical{};  // several logical devices may share one: its compute, not its memory
  std::optional<MemoryOptions> memory{};  // none: no limit, a CPU
  int priority = 0;
};

// What the runtime is told when it makes the devices of one task.
struct DeviceRequest {
  Name task{.job = "localhost", .replica = 0, .task = 0};
  std::vector<PhysicalDevice> visible{};  // by kind and index
  std::vector<std::pair<PhysicalDevice, LogicalDeviceConfigurations>> cut{};
  bool allow_growth = false;
  Environment environment{};
};

struct CreatedDevices {
  std::vector<LogicalDevice> devices{};  // CPUs, GPUs, TPUs
  std::vector<std::string> log{};        // "Created device /job:localhost/... with 13571 MB memory:  -> ..."
};

// Throws OpError with TensorFlow's text.
CreatedDevices create_devices(const DeviceRequest& request);

// "/device:GPU:0" of the job localhost, the full name in a cluster.
std::string short_name(const LogicalDevice& device);
std::string repr(const LogicalDevice& device);  // "LogicalDevice(name='/device:GPU:0', device_type='GPU')"

}  // namespace wt::device
