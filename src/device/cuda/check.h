#pragma once
// Error handling for calls of CUDA, cuBLAS and cuDNN: check(cudaMalloc(...), "allocate", device).

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <string_view>

#include "device/cuda_device.h"

namespace wt::device {

// Throws MachineError with the operation, the device, the status and a remedy, unless the status is success.
void check(cudaError_t status, std::string_view operation, const CudaDevice& device);
void check(cublasStatus_t status, std::string_view operation, const CudaDevice& device);
void check(cudnnStatus_t status, std::string_view operation, const CudaDevice& device);

}  // namespace wt::device
