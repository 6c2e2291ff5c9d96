#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "device/cuda_device.h"
#include "device/stopwatch.h"

namespace wt::device {

// A stopwatch on a GPU. Marks are CUDA events, whose time the GPU records when its stream or its graph
// reaches them. Their resolution is half a microsecond.
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
