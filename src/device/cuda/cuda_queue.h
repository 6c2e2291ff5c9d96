#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <memory>
#include <optional>
#include <vector>

#include "device/cuda/cuda_memory.h"
#include "device/cuda_device.h"
#include "device/queue.h"

namespace wt::device {

// A queue on a GPU, which is a CUDA stream with handles of cuBLAS and cuDNN. A task is called on the host
// when it is enqueued, and launches its kernels on stream(). It must not allocate memory and must not
// synchronise, so that it can be captured as part of a CUDA graph.
class CudaQueue final : public Queue {
 public:
  enum class Libraries : bool { none, all };  // none: for copies, and for kernels that use no library

  explicit CudaQueue(const CudaDevice& device, Libraries libraries = Libraries::all);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  const CudaDevice& device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  // The handles of the libraries. They are bound to the stream and created with the queue, never during a
  // step.
  cublasHandle_t blas() const { return required(blas_); }
  cudnnHandle_t dnn() const { return required(dnn_); }

  // The precision of matrix products and convolutions. Tasks read it when they are called.
  Precision precision() const { return precision_; }
  void set_precision(Precision precision) { precision_ = precision; }

  // The workspace of kernels. The kernels of a stream run one after another, so they share one workspace of
  // the largest reserved size. It is reserved when tasks are created, and read when they are called. Captured
  // tasks keep the workspace with which they were captured.
  void reserve_workspace(Bytes size);
  std::span<std::byte> workspace() const;

  Backend backend() const override { return Backend::cuda; }
  Memory& memory() override { return *memory_; }

  void enqueue(Task task) override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;

  // Whether captured tasks become a CUDA graph. Otherwise a replay launches them kernel by kernel.
  void set_graphs(bool wanted) { graphs_ = wanted; }
  void begin_capture() override;
  Captured end_capture() override;
  void replay(const Captured& captured) override;

  std::unique_ptr<Stopwatch> stopwatch(std::size_t marks) override;

 private:
  void start_libraries();
  template <class Handle>
  Handle required(Handle handle) const {
    WT_EXPECT(handle != nullptr, "the queue on {} was created without libraries", print(device_));
    return handle;
  }
  void use() const;
  void run(std::span<const Task> tasks);
  cudaEvent_t event_at(std::uint64_t sequence) const;

  CudaDevice device_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudnnHandle_t dnn_ = nullptr;
  Precision precision_ = Precision::float32;
  std::unique_ptr<CudaMemory> memory_{};
  std::shared_ptr<std::byte> blas_workspace_{};
  struct Workspace {
    std::shared_ptr<std::byte> data{};
    Bytes size{};
  };
  std::vector<Workspace> workspaces_{};  // the last one is the largest and the current one
  std::optional<std::vector<Task>> capturing_{};
  bool graphs_ = true;
  std::vector<cudaEvent_t> events_{};  // the events since `passed_`, by their number
  std::uint64_t passed_ = 0;           // all events with a smaller number have happened
  std::uint64_t sequence_ = 0;
};

}  // namespace wt::device
