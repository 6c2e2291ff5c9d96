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

// A stream of one GPU. A task runs on the host when it is enqueued, and enqueues its kernels on stream(); what it calls
// must neither allocate nor synchronise, so that it can be captured as part of a CUDA graph.
class CudaQueue final : public Queue {
 public:
  enum class Libraries : bool { none, all };  // none: for copies, and kernels that call no library

  explicit CudaQueue(const CudaDevice& device, Libraries libraries = Libraries::all);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  const CudaDevice& device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  // The libraries' handles, bound to the stream and made with the queue: none is made in a step.
  cublasHandle_t blas() const { return required(blas_); }
  cudnnHandle_t dnn() const { return required(dnn_); }

  // What products of matrices and convolutions compute in; tasks look when they run.
  Precision precision() const { return precision_; }
  void set_precision(Precision precision) { precision_ = precision; }

  // Kernels of one stream follow each other, so one workspace serves all: it is as large as the largest wish, made
  // while tasks are bound, and asked for when they run. What was captured keeps the one it was captured with.
  void reserve_workspace(Bytes size);
  std::span<std::byte> workspace() const;

  Backend backend() const override { return Backend::cuda; }
  Memory& memory() override { return *memory_; }

  void enqueue(Task task) override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;

  // Whether what is captured becomes a graph; without, it is launched kernel by kernel, to compare the two.
  void set_graphs(bool wanted) { graphs_ = wanted; }
  void begin_capture() override;
  Captured end_capture() override;
  void replay(const Captured& captured) override;

  std::unique_ptr<Stopwatch> stopwatch(std::size_t marks) override;

 private:
  void start_libraries();
  template <class Handle>
  Handle required(Handle handle) const {
    WT_EXPECT(handle != nullptr, "a queue of {} that has no libraries is asked for one", print(device_));
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
  std::vector<Workspace> workspaces_{};  // the last is the largest
  std::optional<std::vector<Task>> capturing_{};
  bool graphs_ = true;
  std::vector<cudaEvent_t> events_{};  // by sequence since the queue was last empty
  std::uint64_t passed_ = 0;           // events before have happened
  std::uint64_t sequence_ = 0;
};

}  // namespace wt::device
