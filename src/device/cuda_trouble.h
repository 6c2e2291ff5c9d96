#pragma once
// What to tell a person about a CUDA call that failed. Statuses come by the names that the libraries give them,
// so that this is tested where there is no CUDA.

#include <string>
#include <string_view>

namespace wt::device {

struct CudaDevice;

struct CudaStatus {
  std::string_view name{};         // "cudaErrorIllegalAddress"
  std::string_view description{};  // the library's own words, where it has some
};

std::string_view cuda_remedy(std::string_view status);  // of a status by its name

// "GPU 0 (NVIDIA H100): cudaErrorNoDevice, no CUDA-capable device is detected; ..."
std::string cuda_trouble_text(const CudaStatus& status, const CudaDevice& device);

// Throws MachineError: "[copy] GPU 0 (NVIDIA H100): ...".
[[noreturn]] void throw_cuda_trouble(std::string_view operation, const CudaStatus& status,
                                     const CudaDevice& device);

}  // namespace wt::device
