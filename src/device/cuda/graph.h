#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "device/cuda_device.h"

namespace wt::device {

// What `enqueue` puts on the stream, as one CUDA graph: a step is then launched at once, and the gaps between its
// kernels are the GPU's own.
std::shared_ptr<void> capture_graph(cudaStream_t stream, const CudaDevice& device,
                                    const std::function<void()>& enqueue);

void launch_graph(const std::shared_ptr<void>& graph, cudaStream_t stream, const CudaDevice& device);

}  // namespace wt::device
