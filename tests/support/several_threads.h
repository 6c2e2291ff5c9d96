// Several queues that run at the same time, like GPUs, and an assignment of a plan's devices to them.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "execute/queues.h"
#include "strategy/replicas.h"
#include "support/threaded_queue.h"

namespace wt::test {

// Random pauses of up to 100 us for one thread. Half of them are zero.
inline ThreadedQueue::Pause random_pauses(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)]() mutable {
    if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
  };
}

// Assigns the devices of a plan to `places` places. A place has either separate queues for computation,
// communication and copies, like a GPU, or one queue for everything.
class SeveralThreads {
 public:
  SeveralThreads(const plan::Plan& plan, std::size_t places, bool has_streams, std::uint64_t seed = 1,
                 device::Communicator* library = nullptr) {
    std::vector<execute::PlaceQueues> queues;
    for (std::size_t i = 0; i < places; ++i) {
      device::Queue* compute = add(++seed);
      queues.push_back({compute, has_streams ? add(++seed) : compute, has_streams ? add(++seed) : compute});
    }
    all_.emplace(
        queues,
        [&plan, places](const plan::Device& device) {
          return static_cast<std::size_t>(&device - plan.devices.data()) % places;
        },
        library);
  }
  const execute::Queues& all() const { return *all_; }
  const std::vector<std::unique_ptr<ThreadedQueue>>& each() const { return queues_; }

 private:
  device::Queue* add(std::uint64_t seed) {
    return queues_.emplace_back(std::make_unique<ThreadedQueue>(random_pauses(seed))).get();
  }
  std::vector<std::unique_ptr<ThreadedQueue>> queues_{};
  std::optional<execute::Queues> all_{};
};

inline std::vector<strategy::Place> gpus_with_host(int replicas) {
  std::vector<strategy::Place> made;
  for (int i = 0; i < replicas; ++i)
    made.push_back({.device = {.name = fmt::format("/device:GPU:{}", i)},
                    .host = plan::Device{.name = "/device:CPU:0"}});
  return made;
}

}  // namespace wt::test
