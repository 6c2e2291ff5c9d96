// The GPU of a test or a benchmark, and training steps for it.
#pragma once

#include <fmt/format.h>

#include <memory>

#include "device/cuda/cuda_queue.h"
#include "execute/execution.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "support/training_step.h"
#include "support/two_queues.h"

namespace wt::test {

// Requires: the machine has a GPU. run.sh checks this before it builds anything.
inline device::CudaDevice first_gpu() {
  const device::CudaDevices gpus = device::find_cuda_devices();
  WT_EXPECT(!gpus.found.empty(), "{}; {}", gpus.reason, gpus.remedy);
  return gpus.found.front();
}

// The streams of some GPUs, among which the devices of a plan are distributed in turn.
class SeveralStreams {
 public:
  explicit SeveralStreams(const std::vector<device::CudaDevice>& gpus,
                          device::CudaTeam::Library library = device::CudaTeam::Library::none)
      : team_(device::make_cuda_team(gpus, device::Precision::float32, library)) {
    std::vector<execute::PlaceQueues> places;
    for (const device::CudaTeam::Member& member : team_.members)
      places.push_back({member.compute.get(),
                        member.communication ? member.communication.get() : member.compute.get(),
                        member.copies.get()});
    const auto place_of = [count = places.size()](const plan::Device& device) {
      const char last = device.name.back();  // "/device:GPU:1"
      return static_cast<std::size_t>(last - '0') % count;
    };
    queues_.emplace(places, place_of, team_.nccl.get());
  }
  const execute::Queues& queues() const { return *queues_; }
  const device::CudaTeam& team() const { return team_; }

 private:
  device::CudaTeam team_;
  std::optional<execute::Queues> queues_{};
};

inline plan::Plan on_one(const Step& step) { return strategy::lower_default(step, {"/device:GPU:0"}); }

inline plan::Plan mirrored(const Step& step, std::size_t replicas, strategy::StandFor whole = {}) {
  std::vector<strategy::Place> places;
  for (std::size_t i = 0; i < replicas; ++i)
    places.push_back({.device = {.name = fmt::format("/device:GPU:{}", i)},
                      .host = plan::Device{.name = "/device:CPU:0"}});
  const std::vector<const Step*> steps(replicas, &step);
  return strategy::lower_mirrored(steps, places, {.stand_for = whole});
}

}  // namespace wt::test
