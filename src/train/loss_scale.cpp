#include "train/loss_scale.h"

#include <algorithm>

#include "base/error.h"

namespace wt::train {

namespace {

// A replica without rows has the loss 0 and the same nodes as the others, which collectives require.
Symbol over_local_rows(const model::WeightedLosses& losses, model::LossReduction reduction) {
  const std::int64_t count = losses.values.shape().elements();
  return count > 0 || !model::is_mean(reduction) ? model::reduce_loss(losses, reduction)
                                                 : model::compute_average_loss(losses.values, 1);
}

// The number of losses on all replicas. A row that is a sequence has one loss per element of the sequence.
// Without step_rows there is one replica, and the all-reduce changes nothing.
Symbol global_elements(Symbol per_example, std::optional<Symbol> step_rows) {
  const Shape shape = per_example.shape();
  if (step_rows) return *step_rows * static_cast<double>(shape.elements(1, shape.rank()));
  const TensorSpec scalar{per_example.spec().type, {}};
  return all_reduce(fill(*per_example.trace, scalar, static_cast<double>(shape.elements())), Reduction::sum);
}

// Keras' fit divides a mean by the number of replicas and leaves a sum as it is. It displays the mean before
// this division, and the sum times the number of replicas (keras/engine/compile_utils.py, LossesContainer). Keras 3 also
// leaves a loss as it is that is one number for all rows (reduce_values in keras/src/losses/loss.py).
ReplicaLoss as_keras_does(const LossScaling& scaling, const model::WeightedLosses& losses) {
  const Symbol own = over_local_rows(losses, scaling.reduction);
  const auto replicas = static_cast<double>(scaling.replicas);
  if (scaling.replicas == 1) return {own, own};
  const bool is_whole = losses.values.shape().rank() == 0;
  if (is_whole || !model::is_mean(scaling.reduction)) return {own, own * replicas};
  return {own * (1 / replicas), own};
}

}  // namespace

ReplicaLoss scale_losses(const LossScaling& scaling, const model::WeightedLosses& losses,
                         std::optional<Symbol> step_rows) {
  WT_EXPECT(step_rows.has_value() == scaling.needs_step_rows(),
            "a step over {} replicas has {} number of rows", scaling.replicas,
            step_rows ? "an unexpected" : "no");
  if (scaling.scale == LossScale::keras) return as_keras_does(scaling, losses);
  const Symbol per_example = losses.values;
  if (per_example.shape().rank() == 0)
    throw InputError(
        "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1.",
        R"(write "loss_scale": "keras", or a loss with an axis of rows: {"config": {"axis": [1, 2]}})");
  const Symbol own = scaling.scale == LossScale::global_batch
                         ? model::compute_average_loss(per_example, scaling.global_batch)
                         : model::compute_average_loss(per_example, global_elements(per_example, step_rows));
  if (!step_rows) return {own, own};
  const std::int64_t local_rows = std::max<std::int64_t>(1, per_example.shape()[0]);
  return {own, own * *step_rows / static_cast<double>(local_rows)};
}

ReplicaLoss with_penalty(const LossScaling& scaling, ReplicaLoss loss, Symbol penalty) {
  if (scaling.replicas == 1) {
    const Symbol sum = loss.minimised + penalty;
    return {sum, sum};
  }
  const Symbol share = scaling.scale == LossScale::keras
                           ? penalty * (1 / static_cast<double>(scaling.replicas))
                           : model::scale_regularization_loss(penalty, scaling.replicas);
  return {loss.minimised + share, loss.shown + penalty};
}

}  // namespace wt::train
