// The GPU of a test or a benchmark, and steps that it runs.
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

// Requires: one; run.sh asks for it before anything is built.
inline device::CudaDevice first_gpu() {
  const device::CudaDevices gpus = device::find_cuda_devices();
  expect(!gpus.found.empty(), "{}; {}", gpus.reason, gpus.remedy);
  return gpus.found.front();
}

inline plan::Plan on_one(const Step& step) { return strategy::lower_default(step, {"/device:GPU:0"}); }

inline plan::Plan mirrored(const Step& step, std::size_t replicas) {
  std::vector<strategy::Place> places;
  for (std::size_t i = 0; i < replicas; ++i)
    places.push_back({.device = {.name = fmt::format("/device:GPU:{}", i)},
                      .host = plan::Device{.name = "/device:CPU:0"}});
  const std::vector<const Step*> steps(replicas, &step);
  return strategy::lower_mirrored(steps, places);
}

}  // namespace wt::test
