#include "emulation/api/call.h"

using namespace wt::emulation;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call_on(handle, [&](Machine&, Stream& stream) {
    if (stream.is_legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream.capture != nullptr) return cudaErrorInvalidValue;
    Capture::begin(stream, mode);
    return cudaSuccess;
  });
}

// Whatever is wrong with it, a capture ends here.
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture == nullptr) return cudaErrorInvalidValue;
    if (capture->origin() != &stream) return capture->invalidate(cudaErrorStreamCaptureUnmatched);
    const bool is_valid = capture->is_valid(), is_joined = capture->is_joined();
    Nodes nodes = capture->end();
    if (!is_valid) return cudaErrorStreamCaptureInvalidated;
    if (!is_joined) return cudaErrorStreamCaptureUnjoined;
    *graph = m.graphs.add();
    (*graph)->nodes = std::move(nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    if (stream.is_legacy && m.capture_of_host() != nullptr) return cudaErrorStreamCaptureImplicit;
    *status = stream.capture == nullptr    ? cudaStreamCaptureStatusNone
              : stream.capture->is_valid() ? cudaStreamCaptureStatusActive
                                           : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t handle, unsigned long long flags) {
  return call([&](Machine& m) {
    const auto graph = m.graphs.find(handle);
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *ready = m.ready_graphs.add();
    (*ready)->nodes = graph->nodes;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t ready, cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    if (stream.capture != nullptr) return stream.capture->invalidate(cudaErrorStreamCaptureUnsupported);
    return m.ready_graphs.find(ready) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    const auto graph = m.ready_graphs.find(ready);
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (stream.capture != nullptr) return cudaErrorNotSupported;  // a graph as a node of another
    m.launch(stream, *graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) {
  return call([&](Machine& m) { return m.ready_graphs.remove(ready) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Machine& m) { return m.graphs.remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}
