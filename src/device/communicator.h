#pragma once
// A library that carries out collectives among devices by itself, in an order of its own: what it adds differs from the
// plan's sums in the last bits.

#include <vector>

#include "device/queue.h"
#include "tensor/type.h"

namespace wt::device {

// Equally many numbers of each rank, in the memory of its queue. The result comes in their place.
struct Shares {
  struct Share {
    Queue* queue = nullptr;
    std::byte* data = nullptr;
  };
  std::vector<Share> of_ranks{};
  Type type{};
  std::int64_t elements = 0;  // of each
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  // To be called by a task of `queue`. They begin when that has done what was enqueued before, and are done before what
  // is enqueued on it later. What the ranks' queues do meanwhile is no matter of theirs.
  virtual void all_reduce(const Shares& shares, Queue& queue) = 0;
  virtual void broadcast(const Shares& shares, std::size_t root, Queue& queue) = 0;
};

}  // namespace wt::device
