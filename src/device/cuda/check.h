#pragma once
// Every call of CUDA and its libraries passes through here.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <string_view>

#include "device/cuda_device.h"

namespace wt::device {

// Throw MachineError with operation, device and remedy unless the status is success.
void check(cudaError_t status, std::string_view operation, const CudaDevice& device);
void check(cublasStatus_t status, std::string_view operation, const CudaDevice& device);
void check(cudnnStatus_t status, std::string_view operation, const CudaDevice& device);

}  // namespace wt::device
