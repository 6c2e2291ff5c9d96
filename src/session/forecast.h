#pragma once

#include <optional>
#include <string>

#include "session/planned.h"
#include "timing/simulated.h"

namespace wt::session {

// What a scenario comes to before anything is trained.
struct Forecast {
  Planned planned{};
  std::optional<timing::Simulated> simulated{};  // on a platform, where it fits
  std::optional<std::string> out_of_memory{};    // TensorFlow's text
};

}  // namespace wt::session
