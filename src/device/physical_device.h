#pragma once
// The devices of a machine as a process finds them before it configures them, like
// tf.config.list_physical_devices.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/type.h"

namespace wt::device {

// A device of a machine, as one process finds it.
struct PhysicalDevice {
  Kind kind = Kind::cpu;
  int index = 0;  // its number among the devices of its kind that the process finds
  std::shared_ptr<const DeviceType> type{};  // its data sheet, shared by equal devices
  int slot = 0;                              // its number among all devices of its kind in the machine
  std::string pci_bus_id{};
  Bytes taken{};  // memory that other processes occupy

  // TensorFlow's PhysicalDevice consists of a name and a type only, so these are compared.
  friend bool operator==(const PhysicalDevice& left, const PhysicalDevice& right) {
    return left.kind == right.kind && left.index == right.index;
  }
};

// `count` devices of one type.
std::vector<PhysicalDevice> devices_of(const DeviceType& type, int count = 1);

// The devices that a process finds in a machine: the CPU, then the GPUs without those that
// CUDA_VISIBLE_DEVICES hides, then the TPUs. Each kind is numbered from 0 in the given order. There is always
// exactly one CPU device, because TensorFlow shows all sockets as one; if none is described, a generic one is
// added. Throws InputError for several CPUs and for an invalid value of CUDA_VISIBLE_DEVICES.
std::vector<PhysicalDevice> found_devices(const std::vector<PhysicalDevice>& machine,
                                          const std::optional<std::string>& cuda_visible_devices = {});

// The memory that a process can use: all memory without the context of the driver and the memory of other
// processes.
Bytes free_memory(const PhysicalDevice& device);

std::string name(const PhysicalDevice& device);  // "/physical_device:GPU:0"
// "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')", as Python prints it.
std::string repr(const PhysicalDevice& device);

// "device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5", as TensorFlow logs it.
std::string describe(const PhysicalDevice& device);

}  // namespace wt::device
