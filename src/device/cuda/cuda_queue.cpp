#include "device/cuda/cuda_queue.h"

#include "device/cuda/check.h"
#include "device/cuda/cuda_stopwatch.h"
#include "device/cuda/graph.h"

namespace wt::device {

namespace {

// The size that NVIDIA's manual of cublasSetWorkspace recommends: 32 MiB on Hopper and newer GPUs, and 4 MiB
// on older ones. Without this workspace, cuBLAS would allocate its own one when a capture first needs it.
Bytes blas_workspace(const ComputeCapability& capability) {
  return Bytes(capability.major >= 9 ? std::int64_t{32} << 20 : std::int64_t{4} << 20);
}

}  // namespace

CudaQueue::CudaQueue(const CudaDevice& device, Libraries libraries) : device_(device) {
  use();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream", device_);
  memory_ = std::make_unique<CudaMemory>(device_, stream_);
  if (libraries == Libraries::all) start_libraries();
}

void CudaQueue::start_libraries() {
  check(cublasCreate(&blas_), "start cuBLAS", device_);
  check(cublasSetStream(blas_, stream_), "start cuBLAS", device_);
  const Bytes size = blas_workspace(device_.compute_capability);
  blas_workspace_ = memory_->allocate(size);
  if (blas_workspace_ == nullptr) check(cudaErrorMemoryAllocation, "start cuBLAS", device_);
  check(cublasSetWorkspace(blas_, blas_workspace_.get(), static_cast<std::size_t>(size.count())),
        "start cuBLAS", device_);
  check(cudnnCreate(&dnn_), "start cuDNN", device_);
  check(cudnnSetStream(dnn_, stream_), "start cuDNN", device_);
}

CudaQueue::~CudaQueue() {
  cudaSetDevice(device_.ordinal);
  cudaStreamSynchronize(stream_);
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
  if (dnn_ != nullptr) cudnnDestroy(dnn_);
  if (blas_ != nullptr) cublasDestroy(blas_);
  blas_workspace_.reset();
  workspaces_.clear();
  memory_.reset();
  cudaStreamDestroy(stream_);
}

void CudaQueue::use() const { check(cudaSetDevice(device_.ordinal), "use", device_); }

void CudaQueue::reserve_workspace(Bytes size) {
  if (size.count() == 0 || (!workspaces_.empty() && workspaces_.back().size >= size)) return;
  auto data = memory_->allocate(size);
  if (data == nullptr) check(cudaErrorMemoryAllocation, "allocate a workspace", device_);
  workspaces_.push_back({std::move(data), size});
}

std::span<std::byte> CudaQueue::workspace() const {
  if (workspaces_.empty()) return {};
  return {workspaces_.back().data.get(), static_cast<std::size_t>(workspaces_.back().size.count())};
}

void CudaQueue::enqueue(Task task) {
  if (capturing_) {
    capturing_->push_back(task);
    return;
  }
  run({&task, 1});
}

void CudaQueue::run(std::span<const Task> tasks) {
  use();
  for (const Task& task : tasks) task.run(task.work, *this);
}

Event CudaQueue::record() {
  use();
  const std::uint64_t place = sequence_ - passed_;
  if (place == events_.size()) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "create an event", device_);
    events_.push_back(made);
  }
  check(cudaEventRecord(events_[place], stream_), "record an event", device_);
  return {this, sequence_++};
}

cudaEvent_t CudaQueue::event_at(std::uint64_t sequence) const {
  WT_EXPECT(sequence < sequence_, "event {} of a queue that has recorded {}", sequence, sequence_);
  return sequence < passed_ ? nullptr : events_[sequence - passed_];
}

void CudaQueue::wait(const Event& event) {
  WT_EXPECT(event.queue != nullptr, "a queue waits for an event that was never recorded");
  WT_EXPECT(event.queue->backend() == Backend::cuda, "a GPU waits for another backend's queue");
  if (event.queue == this) return;
  use();
  if (cudaEvent_t recorded = static_cast<const CudaQueue*>(event.queue)->event_at(event.sequence))
    check(cudaStreamWaitEvent(stream_, recorded, 0), "wait for an event", device_);
}

void CudaQueue::synchronize() {
  use();
  check(cudaStreamSynchronize(stream_), "compute", device_);
  passed_ = sequence_;
}

void CudaQueue::begin_capture() {
  WT_EXPECT(!capturing_, "a capture has begun already");
  capturing_.emplace();
}

// The tasks run once before they are captured, because kernels are loaded and libraries allocate memory at
// the first launch. Work that the tasks enqueue on other streams, also of other GPUs, becomes part of the
// graph if events order it after the begin and before the end of the tasks.
Captured CudaQueue::end_capture() {
  WT_EXPECT(capturing_.has_value(), "no capture has begun");
  Captured captured{.tasks = std::move(*capturing_)};
  capturing_.reset();
  if (!graphs_) return captured;
  run(captured.tasks);
  synchronize();
  captured.graph = capture_graph(stream_, device_, [&] {
    run(captured.tasks);
    use();  // the tasks may have selected other GPUs
  });
  return captured;
}

void CudaQueue::replay(const Captured& captured) {
  if (captured.graph == nullptr) return run(captured.tasks);
  use();
  launch_graph(captured.graph, stream_, device_);
}

std::unique_ptr<Stopwatch> CudaQueue::stopwatch(std::size_t marks) {
  return std::make_unique<CudaStopwatch>(device_, marks);
}

}  // namespace wt::device
