#pragma once

#include <optional>

#include "device/context.h"
#include "platform/platform.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// What a scenario's program runs on: the described machine, its devices as the program has configured them, and
// the one that its replica computes on.
struct Machine {
  std::optional<platform::Platform> platform{};  // none: the machine at hand, which nothing times
  device::Context context{};                     // of the process on the first machine
  device::LogicalDevice device{};
  std::vector<Problem> warnings{};  // of the platform

  platform::Endpoint endpoint() const;  // Requires: a platform. The physical device that `device` is cut from
};

// Throws InputError with every problem of "platform", "devices" and "strategy.device".
Machine build_machine(const Scenario& scenario);

}  // namespace wt::scenario
