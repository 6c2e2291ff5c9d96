#pragma once
// The inputs of a call's costs, and the two functions that derive them: one for single messages and one for
// the pieces of the vector. Only communication/call.cpp uses this header.

#include "communication/call.h"
#include "communication/constants.h"
#include "communication/fabric.h"

namespace wt::communication {

struct Facts {
  Hardware machine{};
  const Generation* generation = nullptr;  // null: The devices are no GPUs that NCCL drives.
  const Network* network = nullptr;        // null: All ranks are in one node.
  int ranks = 0, nodes = 1, per_node = 0;  // per_node: ranks of a node, rounded up
  Bytes bytes{};
  collective::Protocol protocol{};
  int channels = 1;
};

// Sets the base latency of the call, and latency and wire of its messages, by the protocol
// (facts_protocol.cpp).
void add_protocol(Call& call, const Facts& facts);

// Sets the number of pieces in which the library passes on the vector, and the costs that depend on it
// (facts_pieces.cpp). Other algorithms, and switches whose constants are unknown, keep the pieces of the
// request.
void cut(Call& call, const Facts& facts);

}  // namespace wt::communication
