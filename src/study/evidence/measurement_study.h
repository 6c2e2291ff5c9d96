#pragma once
// The errors of three predictions of published training throughput on single devices. "Zero-shot" uses only
// shapes and constants that are the same for all devices. "One number" also scales all times by one measured
// row of the group. "Own constants" uses those of the device type, which may have been fitted to these rows.

#include <optional>
#include <span>
#include <vector>

#include "study/evidence/prediction.h"

namespace wt::evidence {

using PredictionGroup = std::span<const Prediction>;
using Errors = std::vector<double>;  // of each row: predicted / published - 1

struct MeasurementStudy {
  PredictionGroup group{};
  Errors zero_shot{}, one_number{}, own{};  // one_number is empty for matrix products
  double scale = 1;                         // measured / predicted time of the row that "one number" is given
};

// Constants fitted to the group's own rows.
struct MeasurementFit {
  device::Efficiency efficiency{};
  bool is_one_scale = false;  // All rows are of one network, so only one common scale is fitted.
  Errors with{};              // of all rows, with the fitted constants
  // Of each row, with constants fitted to the rows of the other networks. Empty: there is one network.
  Errors left_out{};
};

// Splits the predictions by group. Requires: those of a group are adjacent.
std::vector<PredictionGroup> groups_of(std::span<const Prediction> made);
MeasurementStudy study_of(PredictionGroup group);
std::optional<MeasurementFit> fit_of(PredictionGroup group);  // unset for matrix products

// The errors of each row of the group with constants fitted to the rows of other devices of the same generation and
// precision, among all predictions. Where there are none, a TPU has constants fitted to the other TPUs, as in the
// catalogue, and another device the generic ones.
Errors without_own_device(PredictionGroup group, std::span<const Prediction> all);

// Whether there are rows of other devices of its generation.
bool has_siblings(const Prediction& each, std::span<const Prediction> all);

// The sizes of errors, as they are compared.
struct ErrorSummary {
  double median = 0, largest = 0;  // of their absolute values
  double bias = 0;                 // the mean of the errors with their signs
};
// Requires: there are errors.
ErrorSummary summary_of(const Errors& errors);

}  // namespace wt::evidence
