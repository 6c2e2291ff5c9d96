#pragma once

#include <optional>

#include "data/dataset.h"
#include "scenario/build.h"

namespace wt::scenario {

// The rows of a job's datasets, one element per row, after "skip" and "take" and before all other transformations.
struct RowsOfJob {
  data::Dataset training;
  std::optional<data::Dataset> evaluation{};  // unset where the training's rows are evaluated, or none
};

// Requires: the job was built from the scenario.
RowsOfJob rows_of(const Scenario& scenario, const Job& job);

}  // namespace wt::scenario
