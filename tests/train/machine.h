// The machine of these tests: the CPU of this host, under the default strategy or under one with several
// replicas.
#pragma once

#include <fmt/format.h>

#include <string>

#include "device/cpu/workers.h"
#include "strategy/central_storage.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "support/folder.h"
#include "train/model.h"

namespace wt::test {

class Machine {
 public:
  explicit Machine(int threads = 1, std::string device = "cpu:0")
      : Machine([device](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {device}); },
                {}, threads) {}
  Machine(train::Lowering lower, const data::Distribution& input, int threads = 1)
      : workers_(threads), machine_{std::move(lower), queue_, input} {}
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

}  // namespace wt::test
