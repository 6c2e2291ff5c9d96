#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <span>

#include "device/error.h"
#include "tensor/print_numpy.h"
#include "train/distributed/variable.h"
#include "train/strategy.h"
#include "train/tensor_operations.h"

namespace wt::train {

namespace {

void require_known_rules(const Strategy& strategy, const Variable::Settings& settings, Type type) {
  if (strategy.traits().variables != VariablePlacement::mirrored) return;
  if (settings.synchronization == Synchronization::none)
    throw device::ValueError(fmt::format(
        "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please "
        "change the `synchronization` for variable: {}",
        settings.name));
  if (settings.aggregation == Aggregation::mean && !is_floating(type)) Variable::refuse_mean_of_integers();
}

EagerTensor checked(const EagerTensor& initial, const Variable::Settings& settings) {
  const EagerTensor value = settings.dtype ? cast(initial, *settings.dtype) : initial;
  if (settings.shape && *settings.shape != value.numbers.shape())
    throw device::ValueError(
        fmt::format("In this `tf.Variable` creation, the initial value's shape ({}) is not compatible with "
                    "the explicitly supplied `shape` argument ([{}]).",
                    print_tuple(value.numbers.shape()), fmt::join(*settings.shape, ", ")));
  return value;
}

// The copies of a variable are numbered in each worker, whose process makes its own.
std::size_t number_in_process(const Strategy::Traits& traits, std::size_t replica) {
  if (traits.cluster.is_empty()) return replica;
  const device::Name& own = traits.devices[replica].name;
  const auto is_own = [&](const device::LogicalDevice& device) {
    return device.name.job == own.job && device.name.task == own.task;
  };
  const auto earlier = std::span(traits.devices).first(replica);
  return static_cast<std::size_t>(std::ranges::count_if(earlier, is_own));
}

}  // namespace

Variable::Variable(const EagerTensor& initial, const Settings& settings)
    : Variable([&] { return initial; }, settings) {}

Variable::Variable(const Initial& initial, const Settings& settings) : state_(made(initial, settings)) {}

// In a run the first replica makes the variable for all.
std::shared_ptr<Variable::State> Variable::made(const Initial& initial, const Settings& settings) {
  const ThreadMode* mode = current_mode();
  if (mode == nullptr || mode->threads == nullptr) return made_here(initial, settings);
  return std::static_pointer_cast<State>(
      mode->threads->shared(mode->replica, [&] { return made_here(initial, settings); }));
}

void Variable::refuse_mean_of_integers() {
  throw device::ValueError(
      "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, "
      "please use a "
      "different aggregation or dtype");
}

void Variable::refuse_distributed_initial_value() {
  throw device::ValueError(
      "It looks like you are using a PerReplica object while not inside a replica context, which is not "
      "supported. Try "
      "running your op or function inside a replica context by using `strategy.run`");
}

std::shared_ptr<Variable::State> Variable::made_here(const Initial& initial, const Settings& given) {
  Settings settings = given;
  const bool is_on_read = settings.synchronization == Synchronization::on_read;
  settings.trainable = settings.trainable.value_or(!is_on_read);

  auto state = std::make_shared<State>();
  state->settings = settings;
  state->number = next_variable_number();
  const Strategy& strategy = get_strategy();
  const Strategy::Traits& traits = strategy.traits();
  if (has_strategy()) state->strategy = &strategy;
  const auto add = [&](const std::string& name, const EagerTensor& value, const device::Name& device) {
    Eager& eager = current_eager();
    const Type type = value.numbers.type();
    const device::Name first = state->copies.empty() ? device : state->copies.front().value.device;
    const bool is_of_another_process = device::host_of(first) != device::host_of(device);
    if (!state->copies.empty() && !is_of_another_process) {  // it begins with the value of the first copy
      eager.variable_operation("ReadVariableOp", type, first);
      const Eager::Scope there = eager.device(device::print(device));
      eager.identity({value.numbers, first});
    }
    eager.variable_operation("VarHandleOp", type, device);
    eager.variable_operation("AssignVariableOp", type, device);
    state->copies.push_back({name, {value.numbers.copy(), device}});
  };
  const auto initial_on = [&](const device::Name& device) {
    const Eager::Scope scope = current_eager().device(device::print(device));
    return checked(initial(), settings);
  };
  const std::string name = settings.name + ":0";
  switch (traits.variables) {
    case VariablePlacement::where_it_is_made: {
      const EagerTensor value = checked(initial(), settings);
      const Type type = value.numbers.type();
      const device::Name here = current_eager().variable_operation("VarHandleOp", type);
      current_eager().variable_operation("AssignVariableOp", type, here);
      state->copies.push_back({name, {value.numbers.copy(), here}});
      break;
    }
    case VariablePlacement::on_its_device: {
      const device::Name& device = traits.devices.front().name;
      add(name, initial_on(device), strategy.placed(device));
      break;
    }
    case VariablePlacement::on_parameter_device:
      if (strategy.num_replicas_in_sync() > 1) state->kind = Kind::aggregating;
      add(name, initial_on(traits.parameter_device), strategy.placed(traits.parameter_device));
      break;
    case VariablePlacement::on_servers:
      if (strategy.num_replicas_in_sync() > 1) state->kind = Kind::aggregating;
      put_on_servers(*state, checked(initial(), settings));
      break;
    case VariablePlacement::mirrored: {
      state->kind = is_on_read ? Kind::sync_on_read : Kind::mirrored;
      const EagerTensor value = initial_on(traits.devices.front().name);
      require_known_rules(strategy, settings, value.numbers.type());
      for (std::size_t i = 0; i < traits.devices.size(); ++i) {
        const std::size_t number = number_in_process(traits, i);
        add(number == 0 ? name : fmt::format("{}/replica_{}:0", settings.name, number), value,
            strategy.placed(traits.devices[i].name));
      }
      if (settings.synchronization == Synchronization::automatic)
        state->settings.synchronization = Synchronization::on_write;
      break;
    }
  }
  return state;
}

// The value is cut where the strategy's partitioner says so, and each part is on the server whose turn it is.
void Variable::put_on_servers(State& state, const EagerTensor& value) {
  const Settings& settings = state.settings;
  const std::vector<ServerPart> parts =
      state.strategy->traits().place_on_servers({state.number, settings.name, value.numbers.spec(),
                                                 settings.trainable.value(), settings.synchronization});
  state.is_sharded = parts.size() > 1;
  state.name = "ShardedVariable";
  state.shape = value.numbers.shape();
  for (const ServerPart& part : parts) {
    current_eager().variable_operation("VarHandleOp", part.spec.type, part.device);
    current_eager().variable_operation("AssignVariableOp", part.spec.type, part.device);
    const Tensor& all = value.numbers;
    const Tensor own = state.is_sharded ? all.rows(part.first_row, part.first_row + part.spec.shape[0]) : all;
    state.copies.push_back({part.name, {own.copy(), part.device}});
  }
}

std::int64_t next_variable_number() {
  static std::atomic<std::int64_t> next = 0;
  return next++;
}

}  // namespace wt::train
