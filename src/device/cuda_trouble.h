#pragma once
// Error messages for failed calls of CUDA and its libraries. A status is given by its name, so that this code
// can be tested without CUDA.

#include <string>
#include <string_view>

namespace wt::device {

struct CudaDevice;

struct CudaStatus {
  std::string_view name{};         // "cudaErrorIllegalAddress"
  std::string_view description{};  // the text of the library; may be empty
};

std::string_view cuda_remedy(std::string_view status);  // an instruction for the user

// "GPU 0 (NVIDIA H100): cudaErrorNoDevice, no CUDA-capable device is detected; ..."
std::string cuda_trouble_text(const CudaStatus& status, const CudaDevice& device);

// Throws MachineError: "[copy] GPU 0 (NVIDIA H100): ...".
[[noreturn]] void throw_cuda_trouble(std::string_view operation, const CudaStatus& status,
                                     const CudaDevice& device);

}  // namespace wt::device
