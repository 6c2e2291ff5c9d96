#pragma once

#include <optional>

#include "model/loss.h"

namespace wt::train {

// The number by which the sum of a replica's row losses is divided. The replicas' gradients are added, so the
// scaled losses of the replicas must add up to the loss of the step. For example, 5 rows on two replicas are
// split into 3 and 2. `keras` divides the two sums by 3 * 2 and 2 * 2, so rows have different weights;
// `global_rows` divides both by 5.
enum class LossScale : std::uint8_t {
  keras,        // as Keras' fit: the rows of this replica, times the number of replicas
  global_rows,  // the rows of all replicas in this step
  global_batch  // the nominal size of the global batch, also if the last batch is short
};

struct LossScaling {
  LossScale scale = LossScale::keras;
  model::LossReduction reduction = model::LossReduction::auto_;  // only LossScale::keras uses it
  std::int64_t global_batch = 0;                                 // required by LossScale::global_batch
  std::int64_t replicas = 1;

  // Whether the step has an additional input, the number of rows of all replicas. A single replica does not
  // need it.
  bool needs_step_rows() const { return replicas > 1 && scale != LossScale::keras; }
};

// One replica's contribution to the loss of the step. With one replica both members are equal.
struct ReplicaLoss {
  Symbol minimised{};  // differentiated; the sum over the replicas is the loss of the step
  Symbol shown{};      // its mean over the replicas, weighted by their rows, is the displayed loss
};

// Scales the weighted losses of rows, which are on axis 0. `step_rows` is a scalar, the number of rows of all
// replicas. Requires: step_rows is given if and only if needs_step_rows(). Throws InputError for a loss that is one number
// for all rows, unless Keras scales it.
ReplicaLoss scale_losses(const LossScaling& scaling, const model::WeightedLosses& losses,
                         std::optional<Symbol> step_rows);

// Adds the penalties of the regularizers. Every replica computes all of them, and the loss of the step
// contains each once.
ReplicaLoss with_penalty(const LossScaling& scaling, ReplicaLoss loss, Symbol penalty);

}  // namespace wt::train
