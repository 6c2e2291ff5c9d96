#pragma once
// The queues that carry out a plan. One queue can do everything, or each place (a GPU, for example) has
// queues for computing, communicating and copying inputs:
//
//     Queues(queue)                                            all devices of a plan on one queue
//     Queues({{&a, &b, &c}, {&d, &e, &f}}, place_of, &nccl)    two GPUs with three streams each, and NCCL

#include <functional>
#include <vector>

#include "device/communicator.h"
#include "device/queue.h"
#include "plan/plan.h"

namespace wt::execute {

// The queues of one place, which are three streams of a GPU or three times the same queue. They share one
// memory.
struct PlaceQueues {
  device::Queue* compute = nullptr;        // runs kernels; the arenas are in its memory
  device::Queue* communication = nullptr;  // sends messages, and runs the nodes of all other streams
  device::Queue* copies = nullptr;         // copies inputs from the host while the others are busy
};

// Places and their queues. They are not those of one plan: a training has a plan for each shape of its
// batches, and `place_of` gives the place of any plan's device.
class Queues {
 public:
  using PlaceOf = std::function<std::size_t(const plan::Device& device)>;

  Queues(device::Queue& one);  // one queue for everything
  // Whole collectives are carried out by `library`, among the communication queues of the places. Without a
  // library, a plan may have none. Requires: there is at least one place, and place_of has one for every
  // device.
  Queues(std::vector<PlaceQueues> places, PlaceOf place_of, device::Communicator* library = nullptr);

  std::vector<PlaceQueues> of(const plan::Plan& plan) const;  // by device
  device::Queue& first() const { return *places_.front().compute; }
  device::Communicator* library() const { return library_; }

 private:
  std::vector<PlaceQueues> places_{};
  PlaceOf place_of_{};
  device::Communicator* library_ = nullptr;
};

// The queue on which a node is enqueued. A message is on a queue of its source, since writing to another
// device's memory is faster than reading from it.
device::Queue& queue_of(const plan::Plan& plan, const plan::Node& node,
                        const std::vector<PlaceQueues>& devices);

}  // namespace wt::execute
