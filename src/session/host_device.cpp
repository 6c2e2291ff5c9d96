#include "session/host_device.h"

#include <fmt/format.h>

#include "base/rough.h"
#include "device/cpu/cpu_queue.h"
#include "device/cpu/host.h"
#include "kernel/cpu/isa.h"

namespace wt::session {

namespace {

HostDevice cpu_of(int threads) {
  return {
      .profiled = {.type = std::string(plan::this_machine),
                   .product = device::host_product(),
                   .setup = fmt::format("{}, {}", counted(threads, "thread"), cpu::name(cpu::current_isa()))},
      .memory = device::host_memory()};
}

// The driver's CUDA version is encoded as in cudaDriverGetVersion: 13010 is 13.1.
HostDevice gpu_of(const device::CudaDevice& gpu, device::Precision precision) {
  return {.profiled = {.type = std::string(plan::this_machine),
                       .product = gpu.product,
                       .kind = device::Kind::gpu,
                       .setup = fmt::format("driver for CUDA {}.{}, {}", gpu.driver / 1000,
                                            gpu.driver % 1000 / 10, name(precision))},
          .memory = gpu.memory};
}

}  // namespace

std::vector<device::CudaDevice> host_gpus(const scenario::Scenario& scenario) {
  device::CudaDevices gpus = device::find_cuda_devices();
  if (gpus.found.empty())
    throw InputError(Problem{scenario.place("numerics"),
                             fmt::format("there is no GPU to compute on: {}", gpus.reason),
                             fmt::format("{}; or use the numerics \"cpu\"", gpus.remedy)});
  return std::move(gpus.found);
}

device::Precision host_precision(const scenario::Scenario& scenario) {
  const bool is_tf32 = scenario.training.precision == scenario::Precision::tf32;
  return is_tf32 ? device::Precision::tf32 : device::Precision::float32;
}

HostDevice host_device(const scenario::Scenario& scenario, int threads) {
  if (scenario.numerics != scenario::Numerics::cuda) return cpu_of(threads);
  return gpu_of(host_gpus(scenario).front(), host_precision(scenario));
}

std::unique_ptr<device::Queue> host_device_queue(const scenario::Scenario& scenario,
                                                 device::Workers& workers) {
  if (scenario.numerics != scenario::Numerics::cuda) return std::make_unique<device::CpuQueue>(workers);
  return device::make_cuda_queue(host_gpus(scenario).front(), host_precision(scenario));
}

}  // namespace wt::session
