#pragma once
// Who does the work of a plan's devices: one queue all of it, or several, each a part.

#include <functional>
#include <vector>

#include "device/communicator.h"
#include "device/queue.h"
#include "plan/plan.h"

namespace wt::execute {

// The queues of one place: a stream each of a GPU, or one and the same. Their memory is one.
struct PlaceQueues {
  device::Queue* compute = nullptr;  // kernels; its memory holds the arenas
  device::Queue* communication =
      nullptr;                      // messages from here, and what is added in other streams than `compute`
  device::Queue* copies = nullptr;  // what the host brings, while the others are still busy
};

// Not who a plan's devices are, but where any plan's are: a training has a plan for each shape of its batches.
class Queues {
 public:
  using PlaceOf = std::function<std::size_t(const plan::Device& device)>;

  Queues(device::Queue& one);  // does everything
  // Requires: at least one place, and a place for every device. Who carries out collectives that stay whole: a library
  // among the places' communication queues, or nobody.
  Queues(std::vector<PlaceQueues> places, PlaceOf place_of, device::Communicator* library = nullptr);

  std::vector<PlaceQueues> of(const plan::Plan& plan) const;  // by device
  device::Queue& first() const { return *places_.front().compute; }
  device::Communicator* library() const { return library_; }

 private:
  std::vector<PlaceQueues> places_{};
  PlaceOf place_of_{};
  device::Communicator* library_ = nullptr;
};

// Which of them a node is enqueued on: a message on the side of its source, since writing far away is quicker than
// reading there.
device::Queue& queue_of(const plan::Plan& plan, const plan::Node& node,
                        const std::vector<PlaceQueues>& devices);

}  // namespace wt::execute
