#pragma once
// A library that runs whole collectives among devices, such as NCCL. It chooses its own order of additions,
// so its results differ from those of a plan's explicit sums in the last bits.

#include <vector>

#include "device/queue.h"
#include "tensor/type.h"

namespace wt::device {

// The buffers of a collective, one for each rank in the memory of its queue. They have the same size, and the
// result replaces their content.
struct Shares {
  struct Share {
    Queue* queue = nullptr;
    std::byte* data = nullptr;
  };
  std::vector<Share> of_ranks{};
  Type type{};
  std::int64_t elements = 0;  // in each buffer
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  // To be called by a task of `queue`. The collective begins after the tasks that were enqueued on `queue`
  // before, and ends before those that are enqueued on it later. The caller must not rely on an order between
  // the collective and other tasks of the ranks' queues.
  virtual void all_reduce(const Shares& shares, Queue& queue) = 0;
  virtual void broadcast(const Shares& shares, std::size_t root, Queue& queue) = 0;
};

}  // namespace wt::device
