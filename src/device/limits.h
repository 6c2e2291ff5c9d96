#pragma once
// How much memory TensorFlow's allocator may take of a GPU, before it has seen a model
// (SingleVirtualDeviceMemoryLimit in tensorflow/core/common_runtime/gpu/gpu_device.cc, 2.21).

#include <string>
#include <vector>

#include "device/environment.h"
#include "device/physical_device.h"

namespace wt::device {

// What TensorFlow leaves to the driver and others of `free` memory.
Bytes system_memory(Bytes free, const std::optional<ComputeCapability>& capability);

struct DefaultLimit {
  Bytes limit{};
  std::vector<std::string> warnings{};  // as TensorFlow logs them
};

// For a GPU that is not cut: what is free without system_memory, or the fraction that the user set, or,
// before both, without the reserve that the user set. Throws OpError for a fraction above 1 on a GPU older
// than Pascal.
DefaultLimit default_limit(const PhysicalDevice& gpu, const Environment& environment);

}  // namespace wt::device
