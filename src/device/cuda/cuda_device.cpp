#include "device/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda_trouble.h"

namespace wt::device {

namespace {

CudaDevice described(int ordinal) {
  CudaDevice device{.ordinal = ordinal};
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "describe", device);
  std::array<char, 32> bus{};
  check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal), "describe", device);
  check(cudaDriverGetVersion(&device.driver), "describe", device);
  device.product = properties.name;
  device.pci_bus_id = bus.data();
  device.memory = Bytes(properties.totalGlobalMem);
  device.processors = properties.multiProcessorCount;
  device.compute_capability = {properties.major, properties.minor};
  return device;
}

}  // namespace

CudaDevices find_cuda_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();  // resets the error, because having no GPU is a legal result
    return {.reason = fmt::format("CUDA finds no GPU: {}", cudaGetErrorString(status)),
            .remedy = std::string(cuda_remedy(cudaGetErrorName(status)))};
  }
  CudaDevices devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.found.push_back(described(ordinal));
  if (count == 0) {
    devices.reason = "CUDA finds no GPU";
    devices.remedy = cuda_remedy("cudaErrorNoDevice");
  }
  return devices;
}

std::unique_ptr<Queue> make_cuda_queue(const CudaDevice& device, Precision precision) {
  auto queue = std::make_unique<CudaQueue>(device);
  queue->set_precision(precision);
  return queue;
}

}  // namespace wt::device
