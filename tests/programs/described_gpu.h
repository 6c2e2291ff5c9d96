// The GPUs of the programs about devices: Tesla T4, as cloud machines have them.
#pragma once

#include "base/quantity_literals.h"
#include "device/physical_device.h"

namespace wt {

inline std::vector<device::PhysicalDevice> described_gpus(int count) {
  device::DeviceType t4;
  t4.id = "t4";
  t4.product = "Tesla T4";
  t4.kind = device::Kind::gpu;
  t4.memory = 15109_MiB;
  t4.compute_capability = device::ComputeCapability{7, 5};
  t4.reserve.context = 488_MiB;
  return device::devices_of(t4, count);
}

}  // namespace wt
