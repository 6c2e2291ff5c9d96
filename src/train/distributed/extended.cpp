#include "train/distributed/extended.h"

#include <fmt/format.h>

#include "device/error.h"
#include "train/distributed/cross_device_ops.h"
#include "train/distributed/step_recorder.h"
#include "train/errors.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

// TensorFlow's whole text: its default strategy has no broadcast (python/distribute/distribute_lib.py).
constexpr std::string_view default_strategy_does_not_broadcast = "TODO";

std::vector<std::string> names_of(const std::vector<device::LogicalDevice>& devices) {
  std::vector<std::string> names;
  for (const device::LogicalDevice& device : devices) names.push_back(device::print(device.name));
  return names;
}

// The coordinator doesn't know which worker will take a closure.
std::vector<std::string> of_any_worker(const Strategy& strategy) {
  std::vector<std::string> names;
  for (const device::LogicalDevice& device : strategy.traits().devices)
    names.push_back(device::print({.kind = device.name.kind, .index = device.name.index}));
  return names;
}

DistributedValues<EagerTensor> on_each(const EagerTensor& value, const Destination& destination) {
  std::vector<EagerTensor> each;
  for (const device::Name& device : destination.devices()) each.push_back({value.numbers, device});
  return DistributedValues(std::move(each));
}

}  // namespace

Destination::Destination(const Variable& variable) {
  for (const Variable& copy : variable.copies()) devices_.push_back(copy.device());
}

Destination::Destination(const DistributedValues<EagerTensor>& values) {
  for (const EagerTensor& value : values.values()) devices_.push_back(value.device);
}

Destination::Destination(std::string_view device) {
  if (device.empty()) throw device::ValueError("destinations can not be empty");
  devices_.push_back(device::canonical(device::parse_name(device)));
}

std::vector<std::string> StrategyExtended::worker_devices() const {
  if (strategy_.traits().variables == VariablePlacement::where_it_is_made)
    throw device::RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.");
  if (strategy_.traits().variables == VariablePlacement::on_servers) return of_any_worker(strategy_);
  return names_of(strategy_.traits().devices);
}

std::vector<std::string> StrategyExtended::parameter_devices() const {
  if (strategy_.traits().variables == VariablePlacement::where_it_is_made)
    throw device::RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.");
  if (strategy_.traits().variables == VariablePlacement::on_parameter_device)
    return {device::print(strategy_.traits().parameter_device)};
  if (strategy_.traits().variables == VariablePlacement::on_servers)
    return {"/job:chief/replica:0/task:0/device:CPU:0"};  // of the coordinator, as recorded
  return worker_devices();
}

std::vector<std::string> StrategyExtended::non_slot_devices(const std::vector<Variable>& variables) const {
  if (strategy_.traits().variables == VariablePlacement::mirrored) return worker_devices();
  std::vector<std::string> devices;
  for (const Variable& variable : variables) devices.push_back(device::print(variable.device()));
  std::ranges::sort(devices);
  devices.erase(devices.begin() + 1, devices.end());  // the smallest name, as min() of Python
  return devices;
}

bool StrategyExtended::variable_created_in_scope(const Variable& variable) const {
  return variable.distribute_strategy() == &strategy_;
}

EagerTensor StrategyExtended::read_var(const Variable& variable) const {
  return identity(variable.read_across_replicas());
}

void StrategyExtended::require_own(const Variable& variable) const {
  strategy_.require_usable();
  if (variable.is_sharded())
    throw InputError(
        fmt::format("update() of {} is given a variable in shards, which has no device", strategy_.name()),
        "assign to the variable, or update each of its copies()");
  const bool is_mirrored = strategy_.traits().variables == VariablePlacement::mirrored;
  if (is_mirrored && variable.distribute_strategy() != &strategy_)
    throw device::ValueError(
        fmt::format("update() of {} takes variables that were made in its scope, and \"{}\" was not",
                    strategy_.name(), variable.name()));
}

StrategyExtended::EachDevice StrategyExtended::reduce_to(ReduceOp op, const EachDevice& value,
                                                         const Destination& destination) const {
  strategy_.require_cross_replica_context();
  if (strategy_.runs_in_one_thread()) return value;
  const Leaves each(value.values().begin(), value.values().end());
  const Addend sum = reduced_to_one_device(op, each);
  StepRecorder::reduced(op, each, {&sum, 1});
  return on_each(std::get<EagerTensor>(sum), destination);
}

std::vector<StrategyExtended::EachDevice> StrategyExtended::batch_reduce_to(
    ReduceOp op, const std::vector<std::pair<EachDevice, Destination>>& value_destination_pairs) const {
  Leaves first;
  for (const auto& [value, destination] : value_destination_pairs) first.emplace_back(value[0]);
  require_one_place(strategy_, first);
  std::vector<EachDevice> reduced;
  for (const auto& [value, destination] : value_destination_pairs)
    reduced.push_back(reduce_to(op, value, destination));
  return reduced;
}

StrategyExtended::EachDevice StrategyExtended::broadcast_to(const EagerTensor& value,
                                                            const Destination& destination) const {
  strategy_.require_cross_replica_context();
  if (strategy_.traits().variables == VariablePlacement::where_it_is_made)
    throw NotImplementedError(std::string(default_strategy_does_not_broadcast));
  if (strategy_.runs_in_one_thread()) return EachDevice({value});
  return on_each(value, destination);
}

void StrategyExtended::colocate_vars_with(const Variable& variable) const {
  if (&get_strategy() != &strategy_)
    throw device::RuntimeError(
        fmt::format("Need to be inside \"with strategy.scope()\" for {}", strategy_.name()));
  if (!variable_created_in_scope(variable))
    throw device::ValueError(
        fmt::format("`colocate_vars_with` must only be passed a variable created in this "
                    "tf.distribute.Strategy.scope(), not: {}",
                    print(variable)));
}

}  // namespace wt::train
