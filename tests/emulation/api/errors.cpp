#include <algorithm>
#include <iterator>

#include "emulation/api/call.h"

namespace {

struct Row {
  cudaError_t error;
  const char *name, *text;
};

#define ROW(name, text) \
  Row { name, #name, text }
constexpr Row rows[] = {
    ROW(cudaSuccess, "no error"),
    ROW(cudaErrorInvalidValue, "invalid argument"),
    ROW(cudaErrorMemoryAllocation, "out of memory"),
    ROW(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ROW(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ROW(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ROW(cudaErrorInvalidDevice, "invalid device ordinal"),
    ROW(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ROW(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ROW(cudaErrorNotReady, "device not ready"),
    ROW(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ROW(cudaErrorAssert, "device-side assert triggered"),
    ROW(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(cudaErrorNotSupported, "operation not supported"),
    ROW(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ROW(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ROW(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ROW(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ROW(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ROW(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ROW(cudaErrorStreamCaptureImplicit,
        "operation would make the legacy stream depend on a capturing blocking stream"),
    ROW(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
};
#undef ROW

const Row& row_of(cudaError_t error) {
  return *std::find_if(std::begin(rows), std::prev(std::end(rows)),
                       [error](const Row& row) { return row.error == error; });
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return row_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return row_of(error).text; }

// What a fault has left stays for ever.
cudaError_t cudaGetLastError() {
  wt::emulation::Machine& m = wt::emulation::machine();
  const cudaError_t fault = m.has_device(m.current) ? m.fault(m.current) : cudaSuccess;
  const cudaError_t last = std::exchange(m.last_error, cudaSuccess);
  return fault != cudaSuccess ? fault : last;
}
