#include "device/cuda_device.h"

#include <fmt/format.h>

namespace wt::device {

std::string print(const CudaDevice& device) {
  return fmt::format("GPU {} ({})", device.ordinal, device.product);
}

std::vector<PhysicalDevice> physical_devices(const std::vector<CudaDevice>& found) {
  std::vector<PhysicalDevice> devices;
  for (const CudaDevice& device : found) {
    DeviceType type{.id = fmt::format("cuda:{}", device.ordinal), .product = device.product};
    type.kind = Kind::gpu;
    type.memory = device.memory;
    type.compute_capability = device.compute_capability;
    type.processors = device.processors;
    devices.push_back({.kind = Kind::gpu,
                       .index = device.ordinal,
                       .type = std::make_shared<const DeviceType>(std::move(type)),
                       .slot = device.ordinal,
                       .pci_bus_id = device.pci_bus_id});
  }
  return devices;
}

}  // namespace wt::device
