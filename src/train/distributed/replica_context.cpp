#include "train/distributed/replica_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "device/error.h"
#include "train/distributed/gradient_of_operation.h"
#include "train/distributed/step_recorder.h"
#include "train/distributed/tape.h"
#include "train/distributed/variable.h"
#include "train/strategy.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

constexpr std::string_view meets_in_function =
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the function "
    "`fn` passed to "
    "`strategy.run()` contains a nested `@tf.function`, and the nested `@tf.function` contains a "
    "synchronization point, such "
    "as aggregating gradients (e.g, optimizer.apply_gradients), or if the function `fn` uses a control flow "
    "statement which "
    "contains a synchronization point in the body. Such behaviors are not yet supported. Instead, please "
    "avoid nested "
    "`tf.function`s or control flow statements that may potentially cross a synchronization boundary, for "
    "example, wrap the "
    "`fn` passed to `strategy.run` or the entire `strategy.run` inside a `tf.function` or move the control "
    "flow out of `fn`. "
    "If you are subclassing a `tf.keras.Model`, please avoid decorating overridden methods `test_step` and "
    "`train_step` in "
    "`tf.function`.";

}  // namespace

ReduceOp reduce_op_named(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (upper == "SUM") return ReduceOp::sum;
  if (upper == "MEAN") return ReduceOp::mean;
  throw device::ValueError(fmt::format("'{}' is not a valid ReduceOp", upper));
}

std::int64_t ReplicaContext::num_replicas_in_sync() const { return strategy().num_replicas_in_sync(); }

// The default strategy has no device of its own.
std::vector<std::string> ReplicaContext::devices() const {
  const device::Name& here = current_eager().scope_device();
  if (strategy().traits().variables == VariablePlacement::where_it_is_made)
    return {here == device::Name{} ? "" : device::print(here)};
  return {device::print(strategy().traits().devices.at(mode_.replica).name)};
}

EagerTensor ReplicaContext::all_reduce(ReduceOp op, const Variable& value) const {
  if (!value.has_copies()) return identity(value.value());
  return all_reduce(op, value.value());
}

void ReplicaContext::require_own_run() const {
  const ThreadMode* mode = current_mode();
  const Strategy& here = get_strategy();
  if (mode != nullptr && mode->kind != ThreadMode::Kind::replica)
    throw device::RuntimeError("Need to be inside `call_for_each_replica()`");
  if (&here != mode_.strategy)
    throw device::RuntimeError(fmt::format("Mismatching tf.distribute.Strategy objects: {} is not {}.",
                                           here.name(), mode_.strategy->name()));
  if (mode != nullptr && (mode->replica != mode_.replica || mode->threads != mode_.threads))
    throw device::RuntimeError("Mismatching ReplicaContext.");
  if (functions_here() != mode_.functions) throw device::RuntimeError(std::string(meets_in_function));
}

void record_all_reduce(const ReplicaContext& context, ReduceOp op, const Leaves& given,
                       const Leaves& reduced) {
  for (std::size_t i = 0; i < given.size(); ++i)
    StepRecorder::reduced(op, std::span(given).subspan(i, 1), std::span(reduced).subspan(i, 1));
  if (!GradientTape::is_recording()) return;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto* own = std::get_if<EagerTensor>(&given[i]);
    if (own == nullptr) continue;
    GradientTape::record({*own}, std::get<EagerTensor>(reduced[i]), [context, op](const EagerTensor& of) {
      return std::vector<Gradient>{context.all_reduce(op, of)};
    });
  }
}

// All replicas learn how many rows, or columns, each has given, before they go on.
void record_all_gather(const ReplicaContext& context, int axis, const Leaves& given, const Leaves& gathered) {
  for (std::size_t i = 0; i < given.size() && axis == 0; ++i)
    StepRecorder::gathered({&std::get<EagerTensor>(given[i]), 1}, {&std::get<EagerTensor>(gathered[i]), 1});
  if (!GradientTape::is_recording()) return;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const EagerTensor& own = std::get<EagerTensor>(given[i]);
    const EagerTensor& all = std::get<EagerTensor>(gathered[i]);
    const int along = axis < 0 ? axis + own.numbers.shape().rank() : axis;
    GradientTape::record({own}, all, [context, own, along](const EagerTensor& of) {
      const std::int64_t extent = own.numbers.shape()[along];
      const EagerTensor extents = context.all_gather(constant<std::int64_t>({extent}), 0);
      const auto each = extents.numbers.values<std::int64_t>();
      const EagerTensor sum = context.all_reduce(ReduceOp::sum, of);
      const PartsAttributes parts{along, Shape(std::vector<std::int64_t>(each.begin(), each.end()))};
      const std::array inputs{sum};
      const auto split = executed("split", parts, inputs);
      return std::vector<Gradient>{split.at(static_cast<std::size_t>(context.replica_id_in_sync_group()))};
    });
  }
}

// A single replica meets itself.
void ReplicaContext::meet(const Meeting& meeting) const {
  if (mode_.threads != nullptr) return mode_.threads->meet(mode_.replica, meeting);
  const Entered across({mode_.strategy, ThreadMode::Kind::cross_replica, 0, nullptr, &strategy().eager()});
  meeting.merge({&meeting});
}

}  // namespace wt::train
