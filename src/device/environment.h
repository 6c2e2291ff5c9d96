#pragma once
// The environment variables and GPU options that configure TensorFlow's devices, as data. Each simulated
// process has its own values. The environment of this program is not read.

#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"

namespace wt::device {

struct Environment {
  std::optional<std::string> cuda_visible_devices{};  // CUDA_VISIBLE_DEVICES; "" hides every GPU
  std::optional<bool> force_gpu_allow_growth{};  // TF_FORCE_GPU_ALLOW_GROWTH: overrides set_memory_growth
  std::optional<Bytes> min_system_memory{};      // TF_DEVICE_MIN_SYS_MEMORY_IN_MB: memory left to others
  bool gpu_garbage_collection = true;            // TF_ENABLE_GPU_GARBAGE_COLLECTION
  double per_process_gpu_memory_fraction = 0;    // GPUOptions: a share of the whole memory; 0: unset
};

// Reads the variables above from all variables of a process. Throws InputError for invalid values.
// (TensorFlow logs invalid values and ignores them.)
Environment read_environment(const std::map<std::string, std::string>& variables);

}  // namespace wt::device
