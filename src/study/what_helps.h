#pragma once
// What would change a step's time: each change is made and simulated.

#include <optional>
#include <string>
#include <vector>

#include "device/type.h"
#include "study/forecast.h"

namespace wt::study {

struct Change {
  std::string name{};  // "twice the network"
  std::optional<session::Forecast> forecast{};
  std::string refusal{};  // why there is none
};

// A scenario, and what it comes to as it stands.
struct Standing {
  std::string file{};
  std::vector<std::string> overrides{};
  const scenario::Scenario& scenario;
  const session::Forecast& forecast;
  const cluster::Machine& machine;
  const device::DeviceType& device;
  std::optional<double> measured_scale{};
};

// Those that its strategy and its devices don't have are left out.
std::vector<Change> changes(const Standing& now);

}  // namespace wt::study
