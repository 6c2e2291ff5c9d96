#pragma once
// How a scenario's step scales: forecasts of the same scenario with different numbers of replicas.

#include <optional>
#include <string>
#include <vector>

#include "session/forecast.h"
#include "study/sureness.h"

namespace wt::study {

struct Scaling {
  std::string name{};      // the scenario's
  bool is_weak = true;     // The batch is fixed for each replica; otherwise for all together.
  std::int64_t batch = 0;  // rows of the batch that is fixed
  std::vector<session::Forecast> forecasts{};       // in the order of the requested numbers
  std::vector<std::optional<Sureness>> sureness{};  // by forecast; absent: its step doesn't fit

  bool all_fit() const;
};

// Checks all requested numbers before the first one is simulated, and throws InputError with all of their
// problems.
Scaling scaling_of(const std::string& file, const std::vector<std::string>& overrides,
                   const std::vector<int>& replicas);

}  // namespace wt::study
