#pragma once
// What a process finds in its machine before it has touched anything.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/type.h"

namespace wt::device {

struct PhysicalDevice {
  Kind kind = Kind::cpu;
  int index = 0;                             // among its kind, as the process counts
  std::shared_ptr<const DeviceType> type{};  // what it is; shared by equal devices
  int slot = 0;                              // among its kind, as the machine counts
  std::string pci_bus_id{};
  Bytes taken{};  // memory that other processes hold

  // TensorFlow's PhysicalDevice is a pair of name and type, and is compared as one.
  friend bool operator==(const PhysicalDevice& left, const PhysicalDevice& right) {
    return left.kind == right.kind && left.index == right.index;
  }
};

// What a machine holds `count` times.
std::vector<PhysicalDevice> devices_of(const DeviceType& type, int count = 1);

// The devices a process finds: CPU first, then GPUs and TPUs in the order given, numbered from 0, without
// the GPUs that CUDA_VISIBLE_DEVICES hides. A CPU is always there, described or not; one is all that a
// process sees.
std::vector<PhysicalDevice> found_devices(const std::vector<PhysicalDevice>& machine,
                                          const std::optional<std::string>& cuda_visible_devices = {});

// What a process can have of it: not what the driver's context and others hold.
Bytes free_memory(const PhysicalDevice& device);

std::string name(const PhysicalDevice& device);  // "/physical_device:GPU:0"
std::string repr(
    const PhysicalDevice& device);  // "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')"

// "device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5", as TensorFlow logs it.
std::string describe(const PhysicalDevice& device);

}  // namespace wt::device
