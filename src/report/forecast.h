#pragma once

#include <optional>
#include <string>

#include "report/planned.h"
#include "report/simulated.h"

namespace wt::report {

// What a scenario comes to before anything is trained.
struct Forecast {
  Planned planned{};
  std::optional<Simulated> simulated{};        // on a platform, where it fits
  std::optional<std::string> out_of_memory{};  // TensorFlow's text
};

}  // namespace wt::report
