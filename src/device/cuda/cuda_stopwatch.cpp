#include "device/cuda/cuda_stopwatch.h"

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"

namespace wt::device {

CudaStopwatch::CudaStopwatch(const CudaDevice& device, std::size_t marks) : device_(device), marks_(marks) {
  check(cudaSetDevice(device_.ordinal), "use", device_);
  for (cudaEvent_t& mark : marks_) check(cudaEventCreate(&mark), "create an event", device_);
}

CudaStopwatch::~CudaStopwatch() {
  cudaSetDevice(device_.ordinal);
  for (cudaEvent_t mark : marks_) cudaEventDestroy(mark);
}

Task CudaStopwatch::mark(std::size_t i) const { return {note, &marks_.at(i)}; }

// A captured mark must be a node of the graph that records the time at each launch. cudaEventRecordExternal
// requests that, and is illegal outside a capture.
void CudaStopwatch::note(const void* mark, Queue& queue) {
  const auto& gpu = static_cast<const CudaQueue&>(queue);
  cudaStreamCaptureStatus capture{};
  check(cudaStreamIsCapturing(gpu.stream(), &capture), "record an event", gpu.device());
  const bool is_captured = capture == cudaStreamCaptureStatusActive;
  check(cudaEventRecordWithFlags(*static_cast<const cudaEvent_t*>(mark), gpu.stream(),
                                 is_captured ? cudaEventRecordExternal : cudaEventRecordDefault),
        "record an event", gpu.device());
}

Seconds CudaStopwatch::between(std::size_t i, std::size_t j) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, marks_.at(i), marks_.at(j)), "read the time of an event",
        device_);
  return Seconds(1e-3 * static_cast<double>(milliseconds));
}

}  // namespace wt::device
