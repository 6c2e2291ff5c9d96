#include "study/recordings/machine.h"

#include <fmt/format.h>

#include "strategy/default.h"
#include "strategy/mirrored.h"

namespace wt::recordings {

namespace {

train::Lowering lowering(std::int64_t replicas) {
  if (replicas == 1)
    return [](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"cpu:0"}); };
  std::vector<strategy::Place> places;
  for (std::int64_t i = 0; i < replicas; ++i)
    places.push_back({.device = {.name = fmt::format("/device:CPU:{}", i)},

                      .host = plan::Device{.name = "/device:CPU:0"},
                      .kind = device::Kind::cpu});
  return [places](strategy::Steps steps) { return strategy::lower_mirrored(steps, places); };
}

}  // namespace

Machine::Machine(std::int64_t replicas) : resources_{lowering(replicas), queue_, {.replicas = replicas}} {}

}  // namespace wt::recordings
