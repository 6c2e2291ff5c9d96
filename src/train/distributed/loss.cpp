#include "train/distributed/loss.h"

#include <fmt/format.h>

#include "device/error.h"
#include "tensor/print_numpy.h"
#include "train/strategy.h"

namespace wt::train {

namespace {

// TensorFlow counts the default strategy's context as one of a replica.
void require_replica(std::string_view function) {
  if (in_cross_replica_context())
    throw device::RuntimeError(
        fmt::format("You are calling `{}` in cross replica context, while it was expected to be called in "
                    "replica context.",
                    function));
}

std::int64_t number_of_replicas() { return get_strategy().num_replicas_in_sync(); }

void require_batch_size(const Tensor& size) {
  if (is_floating(size.type()))
    throw device::ValueError(fmt::format(
        "global_batch_size must be an integer..  Expected \"x\" to be integer type.  Found: tensor of "
        "dtype <dtype: '{}'>",
        name(size.type())));
  if (size.shape().rank() > 0)
    throw device::ValueError(
        fmt::format("global_batch_size must be scalar..  Expected scalar shape, saw shape: {}.",
                    print_tuple(size.shape())));
  const Tensor whole = cast({size}, Type::int64).numbers;
  const std::int64_t value = whole.values<std::int64_t>()[0];
  if (value < 0)
    throw InvalidArgumentError(fmt::format(
        "global_batch_size must be non-negative..\nCondition x >= 0 did not hold element-wise:\nx "
        "(shape=() dtype={}) =\n{}",
        name(size.type()), value));
}

// tf.math.div_no_nan: nothing over nothing is nothing. Integers become float64.
EagerTensor divided(const EagerTensor& sum, const EagerTensor& count) {
  const EagerTensor real = is_floating(sum.numbers.type()) ? sum : cast(sum, Type::float64);
  const Tensor divisor = cast(count, Type::float64).numbers;
  if (divisor.values<double>()[0] == 0) return zeros(real.numbers.shape(), real.numbers.type());
  return real / cast(count, real.numbers.type());
}

}  // namespace

EagerTensor compute_average_loss(const EagerTensor& per_example_loss, const AverageLossOptions& options) {
  const Shape& shape = per_example_loss.numbers.shape();
  if (shape.rank() == 0)
    throw device::ValueError(fmt::format(
        "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received "
        "per_example_loss={} with rank 0",
        print_numpy(per_example_loss.numbers)));
  EagerTensor losses = per_example_loss;
  if (options.sample_weight) losses = losses * cast(*options.sample_weight, losses.numbers.type());
  if (!options.global_batch_size) {
    require_replica("compute_average_loss");
    return divided(reduce_sum(losses), constant(shape[0] * number_of_replicas()));
  }
  require_batch_size(options.global_batch_size->numbers);
  return divided(reduce_sum(losses), *options.global_batch_size);
}

EagerTensor scale_regularization_loss(const EagerTensor& regularization_loss) {
  require_replica("scale_regularization_loss");
  return reduce_sum(regularization_loss) / static_cast<double>(number_of_replicas());
}

}  // namespace wt::train
