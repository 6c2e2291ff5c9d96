#pragma once
// tf.nn.compute_average_loss and scale_regularization_loss for programs that compute operation by operation
// (tensorflow/python/ops/nn_impl.py). model/loss.h has the same for traced steps.

#include "train/tensor_operations.h"

namespace wt::train {

struct AverageLossOptions {
  std::optional<EagerTensor> sample_weight{};
  std::optional<EagerTensor> global_batch_size{};  // an integer
};

// The sum of the losses of these examples over the global batch size. Without a size it is that of this replica times the
// number of replicas, which only a replica can tell: throws device::RuntimeError in cross-replica context.
EagerTensor compute_average_loss(const EagerTensor& per_example_loss, const AverageLossOptions& options = {});
inline EagerTensor compute_average_loss(const EagerTensor& per_example_loss, std::int32_t global_batch_size) {
  return compute_average_loss(per_example_loss, {.global_batch_size = constant(global_batch_size)});
}

// The sum of the penalties over the number of replicas, each of which adds it. Throws device::RuntimeError in
// cross-replica context.
EagerTensor scale_regularization_loss(const EagerTensor& regularization_loss);

}  // namespace wt::train
