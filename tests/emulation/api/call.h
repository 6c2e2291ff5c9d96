#pragma once

#include "emulation/machine.h"

namespace wt::emulation {

// How every call of CUDA's runtime is answered: streams may get on meanwhile; after a fault nothing is done any more; what
// went wrong is remembered for cudaGetLastError.
template <class F>
cudaError_t call(const F& f) {
  Machine& m = machine();
  m.run_ahead();
  cudaError_t status = m.has_device(m.current) ? m.fault(m.current) : cudaSuccess;
  if (status == cudaSuccess) status = f(m);
  if (status != cudaSuccess) m.last_error = status;
  return status;
}

// A call that may wait for the GPU: while a stream of the host's is captured it ends the capture.
template <class F>
cudaError_t call_that_may_wait(const F& f) {
  return call([&](Machine& m) {
    const auto capture = m.capture_of_host();
    return capture == nullptr ? f(m) : capture->invalidate(cudaErrorStreamCaptureUnsupported);
  });
}

// f(machine, stream): of one that is there.
template <class F>
cudaError_t call_on(cudaStream_t handle, const F& f) {
  return call([&](Machine& m) {
    const auto stream = m.find_stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : f(m, *stream);
  });
}

}  // namespace wt::emulation
