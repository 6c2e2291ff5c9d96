// Described devices for tests.
#pragma once

#include "base/quantity_literals.h"
#include "device/physical_device.h"

namespace wt::device::test {

// A Tesla T4 as TensorFlow finds it in a cloud: 15109 MiB, of which the driver's context occupies 488 MiB.
inline DeviceType tesla_t4() {
  DeviceType type;
  type.id = "t4";
  type.product = "Tesla T4";
  type.kind = Kind::gpu;
  type.peak = {{Precision::float32, 8_TFlop_per_s}};
  type.memory = 15109_MiB;
  type.compute_capability = ComputeCapability{7, 5};
  type.reserve.context = 488_MiB;
  return type;
}

inline DeviceType gpu_of(Bytes memory, int major) {
  DeviceType type = tesla_t4();
  type.product = "GPU";
  type.memory = memory;
  type.compute_capability = ComputeCapability{major, 0};
  type.reserve.context = 0_B;
  return type;
}

inline DeviceType tpu() {
  DeviceType type;
  type.product = "TPU v4";
  type.kind = Kind::tpu;
  type.memory = 32_GiB;
  return type;
}

}  // namespace wt::device::test
