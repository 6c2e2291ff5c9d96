#pragma once
// How a scenario's step scales: the same scenario with different numbers of replicas, planned and timed with shapes
// only.

#include <string>
#include <vector>

#include "session/forecast.h"

namespace wt::study {

struct Scaling {
  std::string name{};      // the scenario's
  bool is_weak = true;     // the batch is fixed for each replica; else for all replicas together
  std::int64_t batch = 0;  // rows of that batch
  std::vector<session::Forecast> forecasts{};  // in the order of the requested numbers

  // The forecast that speed-up and efficiency are relative to: the first that fits. Null: none fits.
  const session::Forecast* first() const;
  bool all_fit() const;
};

// Throws InputError with every problem of every requested number before the first one is simulated.
Scaling scaling_of(const std::string& file, const std::vector<std::string>& overrides,
                   const std::vector<int>& replicas);

}  // namespace wt::study
