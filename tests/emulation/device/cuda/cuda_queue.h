#pragma once
// What the kernels' host code asks of CUDA and cuBLAS, done on the CPU: their names and their rules, as little as is
// asked for.

#include <cstdint>
#include <utility>

#include "device/cpu/cpu_memory.h"
#include "device/cuda_device.h"
#include "device/queue.h"

enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };
using cudaStream_t = struct CudaStream*;

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream);
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream);

enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cudaDataType_t { CUDA_R_32F, CUDA_R_64F };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_32F,
  CUBLAS_COMPUTE_32F_FAST_16F,
  CUBLAS_COMPUTE_32F_FAST_16BF,
  CUBLAS_COMPUTE_32F_FAST_TF32,
  CUBLAS_COMPUTE_64F
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT };
using cublasHandle_t = cublasComputeType_t*;  // notes what was asked for

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType_t a_type,
    std::int64_t a_column, std::int64_t a_matrix, const void* b, cudaDataType_t b_type, std::int64_t b_column,
    std::int64_t b_matrix, const void* beta, void* c, cudaDataType_t c_type, std::int64_t c_column,
    std::int64_t c_matrix, std::int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

namespace wt::device {

// As the real one runs tasks: once more before what was captured replays.
class CudaQueue final : public Queue {
 public:
  const CudaDevice& device() const { return device_; }
  cudaStream_t stream() const { return nullptr; }
  cublasHandle_t blas() const { return &asked_for_; }
  Precision precision() const { return precision_; }
  void set_precision(Precision precision) { precision_ = precision; }
  cublasComputeType_t asked_for() const { return asked_for_; }

  void reserve_workspace(Bytes size) {
    if (const auto wanted = static_cast<std::size_t>(size.count()); wanted > workspace_.size())
      workspace_.resize(wanted);
  }
  std::span<std::byte> workspace() { return workspace_; }

  Backend backend() const override { return Backend::cuda; }
  Memory& memory() override { return cpu_memory(); }
  void enqueue(Task task) override { is_capturing_ ? captured_.push_back(task) : task.run(task.work, *this); }
  Event record() override { return {this, 0}; }
  void wait(const Event&) override {}
  void synchronize() override {}
  void begin_capture() override { is_capturing_ = true; }
  Captured end_capture() override {
    is_capturing_ = false;
    Captured captured{.tasks = std::exchange(captured_, {}), .graph = std::make_shared<int>()};
    replay(captured);
    return captured;
  }
  void replay(const Captured& captured) override {
    for (const Task& task : captured.tasks) enqueue(task);
  }

  bool has_dnn = true;  // where not, cuDNN has no way to do what it is asked for

 private:
  CudaDevice device_{};
  Precision precision_ = Precision::float32;
  std::vector<std::byte> workspace_{};
  std::vector<Task> captured_{};
  bool is_capturing_ = false;
  mutable cublasComputeType_t asked_for_ = CUBLAS_COMPUTE_32F;
};

}  // namespace wt::device
