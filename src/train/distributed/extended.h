#pragma once
// tf.distribute.StrategyExtended: what optimizers and layers call in cross-replica context. Values are reduced to the
// devices of a variable, and a function updates each of its copies.

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
  template <class Result, class Call>
  auto each_copy(std::size_t copies, const Call& call) const;
  void require_own(const Variable& variable) const;

  const Strategy& strategy_;
};

// ---- Templates

template <class Result, class Call>
auto StrategyExtended::each_copy(std::size_t copies, const Call& call) const {
  const EnteredOrAsserted entered(strategy_);
  const bool is_default = strategy_.traits().variables == VariablePlacement::where_it_is_made;
  const auto kind =
      is_default ? ThreadMode::Kind::replica : ThreadMode::Kind::update;  // it has no other context
  const auto in_update = [&](std::size_t i) {
    const Entered update({&strategy_, kind, i, nullptr, &strategy_.eager()});
    return call(i);
  };
  if constexpr (std::is_void_v<Result>) {
    for (std::size_t i = 0; i < copies; ++i) in_update(i);
  } else {
    std::vector<Result> results;
    for (std::size_t i = 0; i < copies; ++i) results.push_back(in_update(i));
    return DistributedValues<Result>(std::move(results));
  }
}

template <class Apply, class... Arguments>
auto StrategyExtended::update(const Variable& variable, const Apply& change,
                              const Arguments&... arguments) const {
  using Result = std::invoke_result_t<Apply, Variable&, SelectedType<Arguments>...>;
  require_own(variable);
  const std::vector<Variable> copies = variable.copies();
  return each_copy<Result>(copies.size(), [&](std::size_t i) {
    // The default strategy's updates are where their variable is, and not in a scope of its device.
    std::optional<Eager::Scope> device;
    if (strategy_.traits().variables != VariablePlacement::where_it_is_made)
      device.emplace(strategy_.eager(), device::print(copies[i].device()));
    Variable copy = copies[i];
    return change(copy, select_replica(arguments, i)...);
  });
}

template <class Apply, class... Arguments>
auto StrategyExtended::update_non_slot(const std::vector<std::string>& devices, const Apply& change,
                                       const Arguments&... arguments) const {
  using Result = std::invoke_result_t<Apply, SelectedType<Arguments>...>;
  return each_copy<Result>(devices.size(), [&](std::size_t i) {
    const Eager::Scope device = strategy_.eager().device(devices[i]);
    return change(select_replica(arguments, i)...);
  });
}

}  // namespace wt::train
