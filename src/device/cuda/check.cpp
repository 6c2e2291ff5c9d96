#include "device/cuda/check.h"

#include "device/cuda_trouble.h"

namespace wt::device {

void check(cudaError_t status, std::string_view operation, const CudaDevice& device) {
  if (status != cudaSuccess)
    throw_cuda_trouble(operation, {cudaGetErrorName(status), cudaGetErrorString(status)}, device);
}

void check(cublasStatus_t status, std::string_view operation, const CudaDevice& device) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw_cuda_trouble(operation, {cublasGetStatusName(status), cublasGetStatusString(status)}, device);
}

// cuDNN has a name for each status, but no description.
void check(cudnnStatus_t status, std::string_view operation, const CudaDevice& device) {
  if (status != CUDNN_STATUS_SUCCESS) throw_cuda_trouble(operation, {cudnnGetErrorString(status)}, device);
}

}  // namespace wt::device
