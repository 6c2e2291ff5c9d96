#pragma once
// tf.nn.compute_average_loss and scale_regularization_loss for programs that compute operation by operation
// (tensorflow/python/ops/nn_impl.py). model/loss.h has the same for traced steps.

#include "train/tensor_operations.h"

namespace wt::train {

struct AverageLossOptions {
  std::optional<EagerTensor> sample_weight{};
  std::optional<EagerTensor> global_batch_size{};  // an integer
};

// The sum of the losses of these examples, divided by the global batch size. If no size is given, the global batch is
// taken to be this replica's number of examples times the number of replicas. In cross-replica context that throws
// device::RuntimeError.
EagerTensor compute_average_loss(const EagerTensor& per_example_loss, const AverageLossOptions& options = {});
inline EagerTensor compute_average_loss(const EagerTensor& per_example_loss, std::int32_t global_batch_size) {
  return compute_average_loss(per_example_loss, {.global_batch_size = constant(global_batch_size)});
}

// The sum of the penalties over the number of replicas, each of which adds it. Throws device::RuntimeError in
// cross-replica context.
EagerTensor scale_regularization_loss(const EagerTensor& regularization_loss);

}  // namespace wt::train
