#include "device/limits.h"

#include <cmath>

#include "base/quantity_literals.h"
#include "device/error.h"
#include "device/out_of_memory.h"

namespace wt::device {
namespace {

constexpr int pascal = 6;

// The memory that is left to the system, up to a major compute capability.
struct SystemMemory {
  int up_to = 0;
  Bytes size{};
};
constexpr SystemMemory by_capability[] = {{6, 500_MiB}, {7, 1050_MiB}, {8, 1536_MiB}};
constexpr Bytes newest_system_memory = 1800_MiB;
constexpr Bytes small_device = 2_GiB;
constexpr Bytes small_system_memory = 225_MiB;

int major_of(const PhysicalDevice& gpu) {
  return gpu.type->compute_capability ? gpu.type->compute_capability->major : 0;
}

Bytes share_of(const PhysicalDevice& gpu, double fraction) {
  if (!(fraction > 0) || !std::isfinite(fraction)) {
    throw InputError(fmt::format("per_process_gpu_memory_fraction is {}", fraction),
                     "it must be a share of the memory, as in 0.4");
  }
  if (fraction > 1 && major_of(gpu) < pascal) {
    throw OpError(
        "Unified memory on GPUs with compute capability lower than 6.0 (pre-Pascal class GPUs) does not "
        "support "
        "oversubscription.");
  }
  const double bytes = static_cast<double>(gpu.type->memory.count()) * fraction;
  if (bytes >= 0x1p62) {
    throw InputError(fmt::format("per_process_gpu_memory_fraction is {}", fraction),
                     "choose a smaller fraction: no memory is that large");
  }
  return Bytes(static_cast<std::int64_t>(bytes));
}

}  // namespace

Bytes system_memory(Bytes free, const std::optional<ComputeCapability>& capability) {
  if (free < small_device) return small_system_memory;
  const int major = capability ? capability->major : 0;
  for (const SystemMemory& row : by_capability) {
    if (major <= row.up_to) return row.size;
  }
  return newest_system_memory;
}

DefaultLimit default_limit(const PhysicalDevice& gpu, const Environment& environment) {
  const Bytes free = free_memory(gpu);
  DefaultLimit result{.limit = free};
  if (environment.per_process_gpu_memory_fraction != 0) {
    result.limit = share_of(gpu, environment.per_process_gpu_memory_fraction);
  } else if (const Bytes reserve = system_memory(free, gpu.type->compute_capability); reserve < free) {
    result.limit = free - reserve;
  }
  if (!environment.min_system_memory) return result;
  if (*environment.min_system_memory <= free) {
    result.limit = free - *environment.min_system_memory;
  } else {
    result.warnings.push_back(
        fmt::format("The requested reserved device memory {} is larger than the available memory of {}. The "
                    "request is ignored.",
                    human_readable(*environment.min_system_memory), human_readable(free)));
  }
  return result;
}

}  // namespace wt::device
