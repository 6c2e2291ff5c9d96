#pragma once
// Published training throughput of single devices against three predictions: from shapes and generic constants alone,
// with one measured row given, and with the constants of the device type.

#include <optional>
#include <span>
#include <vector>

#include "study/evidence/prediction.h"

namespace wt::evidence {

using PredictionGroup = std::span<const Prediction>;
using Errors = std::vector<double>;  // of every row: predicted over published, less 1

struct MeasurementStudy {
  PredictionGroup group{};
  Errors zero_shot{}, one_number{}, own{};  // one_number is empty where no row can be the given one
  double scale = 1;                         // of the given row's measured time over its predicted time
};

// A fit of the constants to the rows themselves.
struct MeasurementFit {
  device::Efficiency efficiency{};
  bool is_one_scale = false;  // all rows are of one network, so only an overall scale can be fitted
  Errors with{};              // with the fit
  Errors left_out{};          // each row with constants that the rows of the other networks give
};

std::vector<PredictionGroup> groups_of(
    std::span<const Prediction> made);  // Requires: predictions stand grouped.
MeasurementStudy study_of(PredictionGroup group);
std::optional<MeasurementFit> fit_of(PredictionGroup group);  // none for matrix products

}  // namespace wt::evidence
