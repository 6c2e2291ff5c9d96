#pragma once
// tf.distribute.StrategyExtended: what optimizers and layers call in cross-replica context. Values are reduced to the
// devices of a variable, and a function updates each of its copies.

#include "train/distributed/step_recorder.h"
#include "train/distributed/variable.h"
#include "train/strategy.h"

namespace wt::train {

// Where values are reduced to: the devices of a variable's copies, those of other values, or one that is named.
class Destination {
 public:
  Destination(const Variable& variable);
  Destination(const EagerTensor& tensor) : devices_{tensor.device} {}
  Destination(const DistributedValues<EagerTensor>& values);
  Destination(std::string_view device);  // Throws device::ValueError for an empty name.
  Destination(const char* device) : Destination(std::string_view(device)) {}
  const std::vector<device::Name>& devices() const { return devices_; }

 private:
  std::vector<device::Name> devices_{};
};

class StrategyExtended {
 public:
  explicit StrategyExtended(const Strategy& strategy) : strategy_(strategy) {}

  std::vector<std::string> worker_devices() const;
  std::vector<std::string> parameter_devices() const;
  // The devices of an optimizer's variables that belong to none of the model.
  std::vector<std::string> non_slot_devices(const std::vector<Variable>& variables) const;
  bool variable_created_in_scope(const Variable& variable) const;
  EagerTensor read_var(const Variable& variable) const;

  // The reduced value on each device of the destination. Strategies of one replica return the value as it is.
  using EachDevice = DistributedValues<EagerTensor>;
  EachDevice reduce_to(ReduceOp op, const EachDevice& value, const Destination& destination) const;
  std::vector<EachDevice> batch_reduce_to(
      ReduceOp op, const std::vector<std::pair<EachDevice, Destination>>& value_destination_pairs) const;
  EachDevice broadcast_to(const EagerTensor& value, const Destination& destination) const;

  // Calls change(copy, arguments...) for each copy of the variable, on its device, with its part of each argument. Returns
  // what the calls return.
  template <class Apply, class... Arguments>
  auto update(const Variable& variable, const Apply& change, const Arguments&... arguments) const;
  // The same on the given devices, without a variable.
  template <class Apply, class... Arguments>
  auto update_non_slot(const std::vector<std::string>& devices, const Apply& change,
                       const Arguments&... arguments) const;

  // For optimizers: their variables are where this one is, which is where the strategy makes all of them. Throws
  // device::RuntimeError outside of the strategy's scope, and device::ValueError for a variable that was made elsewhere.
  void colocate_vars_with(const Variable& variable) const;

 private:
  static constexpr std::size_t all_replicas = static_cast<std::size_t>(-1);  // share one copy
  template <class Result, class Call>
  auto each_device(const std::vector<device::Name>& devices, const Call& call) const;
  void require_own(const Variable& variable) const;

  const Strategy& strategy_;
};

// ---- Templates

template <class Result, class Call>
auto StrategyExtended::each_device(const std::vector<device::Name>& devices, const Call& call) const {
  const EnteredOrAsserted entered(strategy_);
  // The default strategy has no other context than that of its replica, and no devices of its own.
  const bool is_default = strategy_.traits().variables == VariablePlacement::where_it_is_made;
  const auto kind = is_default ? ThreadMode::Kind::replica : ThreadMode::Kind::update;
  const auto in_update = [&](std::size_t i) {
    Eager& eager = strategy_.eager_on(devices[i]);
    std::optional<Eager::Scope> device;
    if (!is_default) device.emplace(eager, device::print(devices[i]));
    const Entered update({&strategy_, kind, i, nullptr, &eager});
    const StepRecorder::Here own = StepRecorder::of(devices.size() > 1 ? i : all_replicas);
    return call(i);
  };
  if constexpr (std::is_void_v<Result>) {
    for (std::size_t i = 0; i < devices.size(); ++i) in_update(i);
  } else {
    std::vector<Result> results;
    for (std::size_t i = 0; i < devices.size(); ++i) results.push_back(in_update(i));
    return DistributedValues<Result>(std::move(results));
  }
}

template <class Apply, class... Arguments>
auto StrategyExtended::update(const Variable& variable, const Apply& change,
                              const Arguments&... arguments) const {
  using Result = std::invoke_result_t<Apply, Variable&, SelectedType<Arguments>...>;
  require_own(variable);
  const std::vector<Variable> copies = variable.copies();
  return each_device<Result>(Destination(variable).devices(), [&](std::size_t i) {
    Variable copy = copies[i];
    return change(copy, select_replica(arguments, i)...);
  });
}

template <class Apply, class... Arguments>
auto StrategyExtended::update_non_slot(const std::vector<std::string>& devices, const Apply& change,
                                       const Arguments&... arguments) const {
  using Result = std::invoke_result_t<Apply, SelectedType<Arguments>...>;
  std::vector<device::Name> names;
  for (const std::string& device : devices) names.push_back(device::canonical(device::parse_name(device)));
  return each_device<Result>(
      names, [&]([[maybe_unused]] std::size_t i) { return change(select_replica(arguments, i)...); });
}

}  // namespace wt::train
