#pragma once
// The transfers that TensorFlow makes itself, without a communication library. Devices of one process copy.
// Between processes the receiver requests a tensor by gRPC (RecvBuf,
// tensorflow/core/distributed_runtime/rpc). What its software takes was measured on the loopback of one
// machine (platforms/communication.json, "grpc"); nothing has been published about a network.

#include "communication/call.h"

namespace wt::communication {

// The costs of such transfers in a group, as a call without an algorithm and without a floor. A message
// between machines waits for its gRPC call, for the software at both ends, and for the copies from the device
// to its host and back.
Call own_moves(const Group& group);

}  // namespace wt::communication
