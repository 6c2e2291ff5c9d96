#pragma once

#include <memory>
#include <vector>

#include "device/communicator.h"
#include "device/cuda/cuda_queue.h"

namespace wt::device {

// NCCL among the GPUs of such queues, one rank each. Throws InputError where this program was built without it
// (no_nccl.cpp is compiled then), MachineError where it doesn't start. Requires: queues of different GPUs.
std::unique_ptr<Communicator> make_nccl(const std::vector<const CudaQueue*>& ranks);

}  // namespace wt::device
