#pragma once

#include <memory>
#include <vector>

#include "device/communicator.h"
#include "device/cuda/cuda_queue.h"

namespace wt::device {

// NCCL with one rank for each queue. Throws InputError if this program was built without NCCL (no_nccl.cpp is
// compiled then), and MachineError if NCCL doesn't start. Requires: the queues are on different GPUs.
std::unique_ptr<Communicator> make_nccl(const std::vector<const CudaQueue*>& ranks);

}  // namespace wt::device
