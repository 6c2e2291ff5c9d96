#include "cli/host_queue.h"

#include <fmt/format.h>

#include "device/cpu/cpu_queue.h"
#include "device/cuda_device.h"

namespace wt {

std::unique_ptr<device::Queue> cpu_queue(device::Workers& workers) {
  return std::make_unique<device::CpuQueue>(workers);
}

std::unique_ptr<device::Queue> host_queue(const scenario::Scenario& scenario, device::Workers& workers) {
  if (scenario.numerics != scenario::Numerics::cuda) return cpu_queue(workers);
  const device::CudaDevices gpus = device::find_cuda_devices();
  if (gpus.found.empty())
    throw InputError(Problem{scenario.place("numerics"),
                             fmt::format("there is no GPU to compute on: {}", gpus.reason),
                             fmt::format("{}; or take the numerics \"cpu\"", gpus.remedy)});
  const bool is_tf32 = scenario.training.precision == scenario::Precision::tf32;
  return device::make_cuda_queue(gpus.found.front(),
                                 is_tf32 ? device::Precision::tf32 : device::Precision::float32);
}

}  // namespace wt
