#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "device/cuda_device.h"
#include "device/stopwatch.h"

namespace wt::device {

// Marks are CUDA events: the GPU notes the time when its stream, or its graph, comes to them. They know half a
// microsecond.
class CudaStopwatch final : public Stopwatch {
 public:
  CudaStopwatch(const CudaDevice& device, std::size_t marks);
  ~CudaStopwatch() override;
  CudaStopwatch(const CudaStopwatch&) = delete;
  CudaStopwatch& operator=(const CudaStopwatch&) = delete;

  Task mark(std::size_t i) const override;
  Seconds between(std::size_t i, std::size_t j) const override;

 private:
  static void note(const void* mark, Queue& queue);

  CudaDevice device_;
  std::vector<cudaEvent_t> marks_;
};

}  // namespace wt::device
