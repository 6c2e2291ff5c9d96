#pragma once
// Which labels a loss compares with the predictions of an output. Files and synthetic data follow it: classes
// for SparseCategoricalCrossentropy, one-hot rows for CategoricalCrossentropy, numbers for MeanSquaredError.

#include <optional>

#include "data/wanted_row.h"
#include "model/loss.h"
#include "scenario/scenario.h"

namespace wt::scenario {

LabelKind kind_of_labels(const model::Loss& loss);

// The labels of one row for an output of this row. Without an output, their shape and their number of classes
// are left open.
data::WantedRow labels_for(const model::Loss& loss, const std::optional<TensorSpec>& output);

}  // namespace wt::scenario
