#pragma once
// The memory limit that TensorFlow sets by default for its allocator on a GPU
// (SingleVirtualDeviceMemoryLimit in tensorflow/core/common_runtime/gpu/gpu_device.cc, version 2.21).

#include <string>
#include <vector>

#include "device/environment.h"
#include "device/physical_device.h"

namespace wt::device {

// The part of the free memory that TensorFlow leaves to the driver and other processes.
Bytes system_memory(Bytes free, const std::optional<ComputeCapability>& capability);

struct DefaultLimit {
  Bytes limit{};
  std::vector<std::string> warnings{};  // as TensorFlow logs them
};

// The limit for a GPU that is not split into logical devices. It is one of these, the first that applies: the
// free memory minus TF_DEVICE_MIN_SYS_MEMORY_IN_MB, if that is set; per_process_gpu_memory_fraction of the
// whole memory, if that is set; the free memory minus system_memory. Throws OpError for a fraction above 1 on
// a GPU that is older than Pascal.
DefaultLimit default_limit(const PhysicalDevice& gpu, const Environment& environment);

}  // namespace wt::device
