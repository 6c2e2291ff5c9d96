#include "train/keras_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "device/error.h"
#include "program/placement.h"
#include "train/function.h"

namespace wt::train {

namespace {

using model::Switch;

std::int64_t replicas_of_a_process(const Resources& machine) {
  return machine.input.replicas / machine.input.workers;
}

// Faults of Keras 3 alone, where several replicas of a process have their variables so.
bool can_fail(const Resources& machine, VariablePlacement variables, Switch which,
              model::Semantics semantics) {
  return machine.coordinated_workers == 0 && machine.variables == variables &&
         replicas_of_a_process(machine) > 1 && is_on(which, semantics);
}

std::string print_shape(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

std::string unfed(std::string_view node) {
  return fmt::format("You must feed a value for placeholder tensor '{}' with dtype int32", node);
}

}  // namespace

std::string_view Fault::name_of_error() const {
  return error == Error::value ? "ValueError" : "InvalidArgumentError";
}

void Fault::raise() const {
  if (error == Error::value) throw device::ValueError(sentence);
  throw InvalidArgumentError(sentence);
}

std::optional<Fault> fault_of_first_batch(const std::vector<std::vector<Tensor>>& pieces,
                                          const Resources& machine, model::Semantics semantics) {
  if (!can_fail(machine, VariablePlacement::mirrored, Switch::first_batch_is_averaged, semantics))
    return std::nullopt;
  const auto in_process = static_cast<std::size_t>(replicas_of_a_process(machine));
  for (std::size_t begin = 0; begin < pieces.size(); begin += in_process) {
    const Shape& first = pieces[begin].front().shape();
    for (std::size_t i = 1; i < in_process; ++i) {
      const Shape& other = pieces[begin + i].front().shape();
      if (other == first) continue;
      return Fault{
          .cause = Fault::Cause::first_batch,
          .sentence = fmt::format("Inputs to operation AddN of type AddN must have the same size and "
                                  "shape.  Input 0: {} != input {}: {}",
                                  print_shape(first), i, print_shape(other)),
          .remedy =
              "choose a batch that is a multiple of the number of replicas, and drop or fill up a "
              "first batch that is shorter"};
    }
  }
  return std::nullopt;
}

std::optional<Fault> fault_of_executions(std::int64_t steps_per_execution, const Resources& machine,
                                         model::Semantics semantics) {
  if (steps_per_execution == 1 ||
      !can_fail(machine, VariablePlacement::mirrored, Switch::executions_have_one_step, semantics))
    return std::nullopt;
  return Fault{.cause = Fault::Cause::executions,
               .sentence = unfed(fmt::format("while/body/_1/while/cond/then/_147/while/cond/Placeholder_{}",
                                             replicas_of_a_process(machine) - 1)),
               .remedy = "leave steps_per_execution at 1"};
}

std::optional<Fault> fault_of_unbuilt_optimizer(const std::vector<model::Weight>& weights, const State& state,
                                                const Resources& machine, model::Semantics semantics) {
  if (!can_fail(machine, VariablePlacement::mirrored, Switch::slots_are_made_before, semantics) ||
      std::ranges::none_of(weights, [&](const model::Weight& weight) {
        return !weight.options.slot_of.empty() && !state.has(weight.name);
      }))
    return std::nullopt;
  return Fault{.cause = Fault::Cause::unbuilt_optimizer,
               .sentence = unfed("cond/else/_1/cond/Placeholder"),
               .remedy = "call optimizer.build(model.trainable_variables) before the first step"};
}

std::optional<Fault> fault_of_layer(const std::string& assigning_layer, const Resources& machine,
                                    model::Semantics semantics) {
  if (assigning_layer.empty() ||
      !can_fail(machine, VariablePlacement::on_parameter_device, Switch::layers_assign_alone, semantics))
    return std::nullopt;
  return Fault{
      .cause = Fault::Cause::layer,
      .error = Fault::Error::value,
      .sentence = fmt::format(
          "Exception encountered when calling {}.call().\n\nYou must specify an aggregation method to update "
          "a "
          "AggregatingVariable in Replica Context. You can do so by passing an explicit value for argument "
          "`aggregation` to tf.Variable(..).e.g. `tf.Variable(..., aggregation=tf.VariableAggregation.SUM)`"
          "`tf.VariableAggregation` lists the possible aggregation methods.This is required because "
          "AggregatingVariable should always be kept in sync. When updating them or assigning to them in a "
          "replica context, we automatically try to aggregate the values before updating the variable. For "
          "this aggregation, we need to know the aggregation method. Another alternative is to not try to "
          "update such AggregatingVariable in replica context, but in cross replica context. You can enter "
          "cross replica context by calling "
          "`tf.distribute.get_replica_context().merge_call(merge_fn, ..)`.Inside `merge_fn`, you can then "
          "update the AggregatingVariable using `tf.distribute.StrategyExtended.update()`.",
          assigning_layer),
      .remedy = "train with Keras 2, under another strategy, or without such layers"};
}

std::optional<Fault> fault_of_reduction(const Resources& machine) {
  if (machine.refusal_of_reduction.empty()) return std::nullopt;
  return Fault{.cause = Fault::Cause::reduction,
               .sentence = machine.refusal_of_reduction,
               .remedy = "choose another cross_device_ops"};
}

model::Replication replication_of(const Resources& machine, model::Semantics semantics) {
  model::Replication replication;
  replication.draws_the_same = machine.input.replicas > 1 && is_on(Switch::replicas_draw_the_same, semantics);
  if (can_fail(machine, VariablePlacement::on_parameter_device, Switch::totals_add_up_again, semantics))
    replication.copies_in_totals = replicas_of_a_process(machine);
  return replication;
}

}  // namespace wt::train
