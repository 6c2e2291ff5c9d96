#pragma once
// The environment variables and GPU options by which TensorFlow's devices are set up from outside a program,
// as data: a simulated process has its own, and nothing here reads those of the real one.

#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"

namespace wt::device {

struct Environment {
  std::optional<std::string> cuda_visible_devices{};  // CUDA_VISIBLE_DEVICES; "" hides every GPU
  std::optional<bool> force_gpu_allow_growth{};       // TF_FORCE_GPU_ALLOW_GROWTH: beats set_memory_growth
  std::optional<Bytes> min_system_memory{};           // TF_DEVICE_MIN_SYS_MEMORY_IN_MB: left to others
  bool gpu_garbage_collection = true;                 // TF_ENABLE_GPU_GARBAGE_COLLECTION
  double per_process_gpu_memory_fraction = 0;         // GPUOptions, of the whole memory; 0: not set
};

// Of all variables of a process those above; throws InputError for all values that mean nothing. (TensorFlow
// logs them and goes on as if they were absent.)
Environment read_environment(const std::map<std::string, std::string>& variables);

}  // namespace wt::device
