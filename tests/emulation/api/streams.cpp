#include "emulation/api/call.h"

namespace wt::emulation {
namespace {

// f(machine, event)
template <class F>
cudaError_t call_of(cudaEvent_t handle, const F& f) {
  return call([&](Machine& m) {
    const auto event = m.events.find(handle);
    return event == nullptr ? cudaErrorInvalidResourceHandle : f(m, event);
  });
}

// A stream that waits for an event of a capture takes part in it from there.
cudaError_t wait_in_capture(Stream& stream, const Event& event) {
  if (event.capture == nullptr) {
    if (event.latest == nullptr) return cudaSuccess;  // never recorded
    return stream.capture->invalidate(cudaErrorStreamCaptureIsolation);
  }
  if (event.capture->has_ended()) return cudaErrorCapturedEvent;
  if (!event.capture->is_valid()) return cudaErrorStreamCaptureInvalidated;
  if (stream.is_legacy) return event.capture->invalidate(cudaErrorStreamCaptureImplicit);
  if (stream.capture != nullptr && stream.capture != event.capture) {
    event.capture->invalidate(cudaErrorStreamCaptureMerge);
    return stream.capture->invalidate(cudaErrorStreamCaptureMerge);
  }
  event.capture->join(stream, event.nodes);
  return cudaSuccess;
}

cudaError_t record(Machine& m, const std::shared_ptr<CUevent_st>& event, Stream& stream, unsigned flags) {
  if (event->device != stream.device) return cudaErrorInvalidResourceHandle;
  if (flags == cudaEventRecordExternal) {
    if (stream.capture == nullptr) return cudaErrorInvalidValue;
    if (!stream.capture->is_valid()) return cudaErrorStreamCaptureInvalidated;
    stream.capture->add(stream, {.records = event});
    return cudaSuccess;
  }
  if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
  if (stream.capture != nullptr) {
    if (!stream.capture->is_valid()) return cudaErrorStreamCaptureInvalidated;
    event->capture = stream.capture;
    event->nodes = stream.tail;
    event->latest.reset();
    return cudaSuccess;
  }
  event->capture.reset();
  event->latest = std::make_shared<Moment>();
  m.enqueue(stream, Operation{.leaves = event->latest});
  return cudaSuccess;
}

}  // namespace
}  // namespace wt::emulation

using namespace wt::emulation;

// ---- Streams

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call([&](Machine& m) {
    if (flags != cudaStreamNonBlocking) return cudaErrorNotSupported;  // others wait for the legacy stream
    *stream = m.streams.add();
    (*stream)->device = m.current;
    return cudaSuccess;
  });
}

// CUDA does what is left in it; whoever destroys a stream in a capture has not ended it.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    if (stream.is_legacy) return cudaErrorInvalidResourceHandle;
    if (stream.capture != nullptr) stream.capture->end();
    m.run(stream);
    m.streams.remove(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call_on(handle, [&](Machine& m, Stream& stream) {
    if (stream.capture != nullptr) return stream.capture->invalidate(cudaErrorStreamCaptureUnsupported);
    m.run(stream);
    return m.fault(stream.device);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t event_handle, unsigned flags) {
  return call_of(event_handle, [&](Machine& m, const std::shared_ptr<CUevent_st>& event) {
    const auto stream = m.find_stream(stream_handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != 0) return cudaErrorNotSupported;
    if (stream->capture != nullptr && !stream->capture->is_valid()) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture != nullptr || event->capture != nullptr) return wait_in_capture(*stream, *event);
    if (event->latest != nullptr) m.enqueue(*stream, Operation{.awaits = {event->latest}});
    return cudaSuccess;
  });
}

// ---- Events

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Machine& m) {
    if (flags != cudaEventDefault && flags != cudaEventDisableTiming) return cudaErrorNotSupported;
    *event = m.events.add();
    (*event)->device = m.current;
    (*event)->is_timed = flags == cudaEventDefault;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(
      [&](Machine& m) { return m.events.remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event_handle, cudaStream_t stream_handle, unsigned flags) {
  return call_of(event_handle, [&](Machine& m, const std::shared_ptr<CUevent_st>& event) {
    const auto stream = m.find_stream(stream_handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : record(m, event, *stream, flags);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call_of(handle, [](Machine& m, const std::shared_ptr<CUevent_st>& event) {
    if (event->capture != nullptr) {
      event->capture->invalidate(cudaErrorCapturedEvent);
      return cudaErrorCapturedEvent;
    }
    if (event->latest != nullptr) m.run_until(*event->latest);
    return m.fault(event->device);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call([&](Machine& m) {
    const auto first = m.events.find(begin), last = m.events.find(end);
    if (first == nullptr || last == nullptr || first->device != last->device)
      return cudaErrorInvalidResourceHandle;
    for (const auto& event : {first, last}) {
      if (!event->is_timed || event->capture != nullptr || event->latest == nullptr)
        return cudaErrorInvalidResourceHandle;
      if (!event->latest->has_come) return cudaErrorNotReady;
    }
    *milliseconds = static_cast<float>(1e3 * (last->latest->seconds - first->latest->seconds));
    return cudaSuccess;
  });
}
