#include "device/cuda/graph.h"

#include "device/cuda/check.h"

namespace wt::device {

namespace {

// Captures a graph. The capture is ended even if `enqueue` throws, because a stream in capture mode accepts
// no other work.
cudaGraph_t captured(cudaStream_t stream, const CudaDevice& device, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture", device);
  try {
    enqueue();
  } catch (...) {
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "end a capture", device);
  return graph;
}

}  // namespace

std::shared_ptr<void> capture_graph(cudaStream_t stream, const CudaDevice& device,
                                    const std::function<void()>& enqueue) {
  cudaGraph_t graph = captured(stream, device, enqueue);
  cudaGraphExec_t ready = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "instantiate a graph", device);
  std::shared_ptr<void> owner(ready,
                              [](void* exec) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec)); });
  check(cudaGraphUpload(ready, stream), "upload a graph", device);
  return owner;
}

void launch_graph(const std::shared_ptr<void>& graph, cudaStream_t stream, const CudaDevice& device) {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.get()), stream), "launch a graph", device);
}

}  // namespace wt::device
