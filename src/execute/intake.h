#pragma once
// Copies the inputs of the next step to the device while the current step still reads its own inputs. They
// are copied on a separate queue to staging buffers, from which the next step copies them to their place in
// the arena. Inputs of a device without a separate queue for copies, or of one that is parked in the memory of the
// host, have no staging buffers and are written between two steps.

#include <vector>

#include "execute/queues.h"

namespace wt::execute {

class Intake {
 public:
  // Requires: `devices` has the queues of each device of the plan, and plan and queues outlive the intake.
  Intake(const plan::Plan& plan, const std::vector<PlaceQueues>& devices);

  // Allocates the staging buffers. An input for which memory is short gets none. `targets` has the address of
  // each input in the arenas.
  void enter(const std::vector<std::byte*>& targets);
  void leave();  // frees them

  // Starts to copy an input to its staging buffer and returns true. Returns false if it has none; the caller
  // then has to write the input. In both cases the caller may change the bytes afterwards.
  bool send(std::size_t input, std::span<const std::byte> bytes);

  bool is_open() const;  // every input has a staging buffer
  bool is_full() const;  // and every staging buffer has an input of the next step

  // Enqueues the copies from the staging buffers to the arenas. They come before all later work of `leader`.
  // Requires: no step is running, and all inputs that were sent have arrived.
  void take(device::Queue& leader);

 private:
  // An input and its staging buffer.
  struct Landing {
    const PlaceQueues* queues = nullptr;
    Bytes size{};
    bool is_parked = false;
    std::byte* target = nullptr;        // in the arena
    std::shared_ptr<std::byte> data{};  // the staging buffer, or null
    bool is_full = false;
    device::Event taken{};  // recorded behind the last copy from here to the arena
  };
  static void empty(const void* landing, device::Queue& queue);

  std::vector<Landing> landings_{};  // by input
};

}  // namespace wt::execute
