#pragma once
// Inputs that travel while a step still reads those before them: on a queue of their own, to a place where they wait,
// from which the next step takes them. Where copies have no queue of their own, nothing waits here.

#include <vector>

#include "execute/queues.h"

namespace wt::execute {

class Intake {
 public:
  // Requires: a place's queues for each of the plan's devices; all outlive it.
  Intake(const plan::Plan& plan, const std::vector<PlaceQueues>& devices);

  // Gets memory, where there is some: an input without a place to wait is written where it is read.
  // `targets`: by input, in the arenas.
  void enter(const std::vector<std::byte*>& targets);
  void leave();

  // Whether the bytes are on their way; if not, the caller has to write them. They have been taken.
  bool send(std::size_t input, std::span<const std::byte> bytes);

  bool is_open() const;  // every input has a place to wait
  bool is_full() const;  // and does: the next step's are all under way

  // What was sent goes where it is read, before anything that `leader` does later.
  // Requires: no step is under way, and what was sent has arrived.
  void take(device::Queue& leader);

 private:
  struct Landing {
    const PlaceQueues* queues = nullptr;
    Bytes size{};
    std::byte* target = nullptr;
    std::shared_ptr<std::byte> data{};
    bool is_full = false;
    device::Event taken{};  // when it was last emptied
  };
  static void empty(const void* landing, device::Queue& queue);

  std::vector<Landing> landings_{};  // by input
};

}  // namespace wt::execute
