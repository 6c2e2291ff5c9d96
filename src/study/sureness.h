#pragma once
// How far the simulated time of one training may be from the truth, and what that judgement rests on
// (study/evidence/expected_error.h). Sweeps, reports and recommendations state the same figures.

#include <optional>
#include <string>

#include "cluster/machine.h"
#include "scenario/scenario.h"
#include "session/planned.h"
#include "study/evidence/expected_error.h"
#include "timing/simulated.h"

namespace wt::study {

// The share of published errors beyond each end of an interval that is stated without a question about it.
inline constexpr double usual_quantile = 0.1;

struct Sureness {
  double quantile = usual_quantile;
  evidence::Known known = evidence::Known::data_sheet_alone;
  evidence::Band band{};  // predicted over true throughput
  std::string kernels_basis{};
  std::string communication_basis{};  // empty: one device
  std::optional<evidence::Nearest> nearest{};
  std::string extrapolation{};  // empty: evidence goes as far
};

// Requires: `planned` and `simulated` are of this scenario on this machine, which has a platform.
Sureness sureness_of(const scenario::Scenario& scenario, const cluster::Machine& machine,
                     const session::Planned& planned, const timing::Simulated& simulated);

std::string basis(const Sureness& sureness);  // both, as one text

}  // namespace wt::study
