#include <fmt/format.h>

#include <array>

#include "device/error.h"
#include "tensor/print_numpy.h"
#include "train/distributed/variable.h"

namespace wt::train {

std::string_view python_name(Synchronization synchronization) {
  constexpr std::array<std::string_view, 4> names{
      "VariableSynchronization.AUTO", "VariableSynchronization.NONE", "VariableSynchronization.ON_WRITE",
      "VariableSynchronization.ON_READ"};
  return names[static_cast<std::size_t>(synchronization)];
}

std::string_view python_name(Aggregation aggregation) {
  constexpr std::array<std::string_view, 4> names{"VariableAggregationV2.NONE", "VariableAggregationV2.SUM",
                                                  "VariableAggregationV2.MEAN",
                                                  "VariableAggregationV2.ONLY_FIRST_REPLICA"};
  return names[static_cast<std::size_t>(aggregation)];
}

ReduceOp reduce_op_of(Aggregation aggregation) {
  if (aggregation == Aggregation::sum) return ReduceOp::sum;
  if (aggregation == Aggregation::mean) return ReduceOp::mean;
  throw device::ValueError(
      fmt::format("Could not convert from `tf.VariableAggregation` {} to`tf.distribute.ReduceOp` type",
                  python_name(aggregation)));
}

std::string print(const Variable& variable) {
  const std::vector<Variable> copies = variable.copies();
  if (!variable.has_copies()) {
    const Tensor value = variable.read_value().numbers;
    const std::string numbers = repr_numpy(value);
    return fmt::format("<tf.Variable '{}' shape={} dtype={}, numpy={}{}>", variable.name(),
                       print_tuple(value.shape()), name(value.type()),
                       numbers.find('\n') == numbers.npos ? "" : "\n", numbers);
  }
  std::string text = variable.is_mirrored() ? "MirroredVariable:{\n" : "SyncOnReadVariable:{\n";
  for (std::size_t i = 0; i < copies.size(); ++i)
    text += fmt::format("  {}: {}{}\n", i, print(copies[i]), i + 1 < copies.size() ? "," : "");
  return text + "}";
}

}  // namespace wt::train
