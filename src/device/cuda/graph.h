#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "device/cuda_device.h"

namespace wt::device {

// Captures everything that `enqueue` puts on the stream as a CUDA graph. A training step is then launched by
// one call, and the gaps between its kernels don't depend on the host.
std::shared_ptr<void> capture_graph(cudaStream_t stream, const CudaDevice& device,
                                    const std::function<void()>& enqueue);

void launch_graph(const std::shared_ptr<void>& graph, cudaStream_t stream, const CudaDevice& device);

}  // namespace wt::device
