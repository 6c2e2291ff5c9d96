// The machine of these tests: the CPU of this host, under the default strategy or under one with several
// replicas.
#pragma once

#include <fmt/format.h>

#include <string>

#include "device/cpu/workers.h"
#include "strategy/central_storage.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"
#include "support/folder.h"
#include "train/model.h"
#include "train/parameter_servers.h"

namespace wt::test {

class Machine {
 public:
  explicit Machine(int threads = 1, std::string device = "cpu:0")
      : Machine([device](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {device}); },
                {}, threads) {}
  Machine(train::Lowering lower, const data::Distribution& input, int threads = 1)
      : workers_(threads), machine_{std::move(lower), queue_, input} {}
  explicit Machine(const train::ParameterServerStrategy& strategy)
      : workers_(1), machine_(strategy.resources(queue_)) {}
  operator train::Resources&() { return machine_; }

 private:
  device::Workers workers_;
  device::CpuQueue queue_{workers_};
  train::Resources machine_;
};

inline std::vector<strategy::Place> gpus(std::int64_t count) {
  std::vector<strategy::Place> places;
  for (std::int64_t i = 0; i < count; ++i)
    places.push_back({.device = {.name = fmt::format("/device:GPU:{}", i)},
                      .host = plan::Device{.name = "/device:CPU:0"}});
  return places;
}

inline train::Lowering mirrored(std::int64_t replicas) {
  return [places = gpus(replicas)](strategy::Steps steps) { return strategy::lower_mirrored(steps, places); };
}

inline train::Lowering central_storage(std::int64_t replicas) {
  return [places = gpus(replicas)](strategy::Steps steps) {
    return strategy::lower_central_storage(steps, places);
  };
}

// One worker per replica.
inline train::Lowering multi_worker_mirrored(std::int64_t replicas) {
  std::vector<strategy::Place> places;
  for (std::int64_t i = 0; i < replicas; ++i)
    places.push_back({.device = {.name = fmt::format("/job:worker/task:{}/device:GPU:0", i)},
                      .host = plan::Device{.name = fmt::format("/job:worker/task:{}/device:CPU:0", i)},
                      .task = static_cast<int>(i)});
  return [places](strategy::Steps steps) { return strategy::lower_multi_worker_mirrored(steps, places); };
}

inline train::Lowering tpu(std::int64_t replicas) {
  std::vector<strategy::Place> places = gpus(replicas);
  for (strategy::Place& place : places) place.kind = device::Kind::tpu;
  return [places](strategy::Steps steps) { return strategy::lower_tpu(steps, places); };
}

}  // namespace wt::test
