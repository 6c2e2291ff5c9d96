#pragma once
// The training of a drawn scenario, as `run` would do it.

#include <filesystem>
#include <optional>
#include <string>

#include "scenario/scenario.h"
#include "session/results.h"

namespace wt::drawn {

struct Trained {
  session::Results results{};
  // The bytes of weights.safetensors. Unset: the scenario saves none, or the training did not come to its end.
  std::optional<std::string> weights{};
};

// The results lie in `folder`, which is made.
Trained train(const scenario::Scenario& scenario, const std::filesystem::path& folder, int threads = 1);

}  // namespace wt::drawn
