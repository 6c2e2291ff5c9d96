#pragma once
// The transfers that TensorFlow makes itself, without a communication library. Devices of one process copy.
// Between processes the receiver requests a tensor by gRPC (RecvBuf,
// tensorflow/core/distributed_runtime/rpc). The times are those of a model, because no measurement of the
// unloaded latency of such a call has been published.

#include "communication/call.h"

namespace wt::communication {

// The costs of such transfers in a group, as a call without an algorithm and without a floor. A message
// between machines waits for its gRPC call and for four copies: from the device to the host, into the
// response, out of it, and to the device.
Call own_moves(const Group& group);

}  // namespace wt::communication
