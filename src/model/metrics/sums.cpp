// The states total and count of a mean, and the metrics that take values: Mean, Sum, MeanTensor.

#include <fmt/format.h>

#include <cmath>

#include "model/constants.h"
#include "model/metrics/metrics.h"

namespace wt::model {

namespace {

Shape axes_from(int begin, int end) {
  Shape axes;
  for (int axis = begin; axis < end; ++axis) axes.append(axis);
  return axes;
}

Symbol mean_from(Symbol x, int axis) {
  const Shape axes = axes_from(axis, x.shape().rank());
  return axes.rank() == 0 ? x : reduce_mean(x, axes);
}
Symbol sum_from(Symbol x, int axis) {
  const Shape axes = axes_from(axis, x.shape().rank());
  return axes.rank() == 0 ? x : reduce_sum(x, axes);
}

struct Weighted {
  Symbol values{};
  std::optional<Symbol> weight{};  // of the shape of the values
};

using ReduceFrom = Symbol (*)(Symbol x, int axis);

// Keras 2: a weight that doesn't broadcast weighs what its axes have in common with the values, reduced over the others.
Weighted by_values(const ValuesCall& call, ReduceFrom reduce) {
  Symbol values = as_type(call.values, Type::float32);
  if (!call.weight) return {values, std::nullopt};
  Symbol weight = with_near_rank(as_type(*call.weight, Type::float32), values);
  if (fits(weight.shape(), values.shape())) {
    const Symbol each = fill(*values.trace, values.spec(), 1) * weight;
    return {values * each, each};
  }
  if (values.shape().rank() > weight.shape().rank()) values = reduce(values, weight.shape().rank());
  if (!fits(weight.shape(), values.shape())) refuse_shapes(values.shape(), weight.shape());
  return {values * weight, weight};
}

// Keras 3: one value, and one weight, for each row.
Weighted by_rows(const ValuesCall& call, ReduceFrom reduce) {
  Symbol values = as_type(call.values, Type::float32);
  if (!call.weight) return {reduce(values, 1), std::nullopt};
  Symbol weight = as_type(*call.weight, Type::float32);
  const int more = weight.shape().rank() - values.shape().rank();
  if (more == 1 && weight.shape().last() == 1) weight = with_rank_of(weight, values);
  if (more == -1 && values.shape().last() == 1)
    weight.shape().rank() == 1 ? weight = with_rank_of(weight, values)
                               : values = with_rank_of(values, weight);
  const int rank = weight.shape().rank();
  if (values.shape().rank() > rank) values = reduce(values, rank);
  if (rank > values.shape().rank())
    throw InputError(fmt::format("Rank of input ({}) must be no greater than rank of output shape ({}).",
                                 rank, values.shape().rank()),
                     "give one weight for each row, or one for each value");
  if (!fits(weight.shape(), values.shape())) refuse_shapes(weight.shape(), values.shape());
  const Symbol each = fill(*values.trace, values.spec(), 1) * weight;
  return {reduce(values * each, 1), reduce(each, 1)};
}

Weighted weighted_values(const ValuesCall& call, ReduceFrom reduce) {
  return is_on(Switch::metrics_average_rows, call.semantics) ? by_rows(call, reduce)
                                                             : by_values(call, reduce);
}

Growths sum_of(const ValuesCall& call) {
  return {{"total", reduce_sum(weighted_values(call, sum_from).values)}};
}

// Of each element on its own.
Growths means_of(const ValuesCall& call) {
  const Symbol values = as_type(call.values, Type::float32);
  const Symbol each = fill(*values.trace, values.spec(), 1);
  if (!call.weight) return {{"total", values}, {"count", each}};
  const Symbol weight = each * with_near_rank(as_type(*call.weight, Type::float32), values);
  return {{"total", values * weight}, {"count", weight}};
}

Tensor sum_result(const MetricRead& read) { return read.states[0].copy(); }

Tensor means_result(const MetricRead& read) {
  Tensor result = read.states[0].copy();
  const auto counts = floats(read, 1);
  std::size_t i = 0;
  for (float& each : result.values<float>()) each = ratio_or_zero(each, counts[i++]);
  return result;
}

constexpr std::array rows_of_sum_metrics{
    MetricClass{.name = "Mean",
                .aliases = {only_keras3("mean")},
                .summary = "mean of the values that are passed to it",
                .states = total_and_count,
                .accumulate = mean_of,
                .result = mean_result},
    MetricClass{.name = "MeanTensor",
                .summary = "mean of each element of the values that are passed to it",
                .instance = "mean_tensor",
                .states = total_and_count,
                .keras3 = false,
                .accumulate = means_of,
                .result = means_result},
    MetricClass{.name = "Sum",
                .aliases = {only_keras3("sum")},
                .summary = "sum of the values that are passed to it",
                .states = {"total"},
                .accumulate = sum_of,
                .result = sum_result}};

}  // namespace

Growths mean_of(const ValuesCall& call) {
  const auto [values, weight] = weighted_values(call, mean_from);
  const Symbol count =
      weight ? reduce_sum(*weight)
             : fill(*values.trace, {Type::float32, {}}, static_cast<double>(values.shape().elements()));
  return {{"total", reduce_sum(values)}, {"count", count}};
}

Growths mean_of(const MetricCall& call, Symbol values) {
  return mean_of({values, call.weight, call.semantics});
}

Tensor mean_result(const MetricRead& read) {
  return scalar(ratio_or_zero(floats(read, 0)[0], floats(read, 1)[0]));
}

std::span<const MetricClass> sum_metrics() { return rows_of_sum_metrics; }

}  // namespace wt::model
