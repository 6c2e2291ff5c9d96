#include "model/optimizer.h"

#include <fmt/format.h>

#include "model/look_ups.h"

namespace wt::model {

namespace {

// The defaults are Keras'. Sources: Kingma and Ba, 2015 (Adam); Loshchilov and Hutter, 2019 (AdamW); Tieleman
// and Hinton, 2012 (RMSprop); Robbins and Monro, 1951 (SGD), with the momentum of Polyak, 1964, or Nesterov,
// 1983.
const std::array<OptimizerClass, 4>& optimizer_rows() {
  static const std::array<OptimizerClass, 4> rows{
      OptimizerClass{.name = "Adam",
                     .aliases = {"adam"},
                     .summary = "adaptive moment estimation",
                     .defaults = {"Adam", 0.001, AdamAttributes{}}},
      OptimizerClass{.name = "AdamW",
                     .aliases = {"adamw"},
                     .summary = "adaptive moment estimation with decoupled weight decay",
                     .defaults = {"AdamW", 0.001, AdamAttributes{.weight_decay = 0.004}}},
      OptimizerClass{.name = "RMSprop",
                     .aliases = {"rmsprop"},
                     .summary = "gradients divided by the root of their moving mean square",
                     .defaults = {"RMSprop", 0.001, RmsPropAttributes{}}},
      OptimizerClass{.name = "SGD",
                     .aliases = {"sgd"},
                     .summary = "stochastic gradient descent, plain or with momentum, Nesterov's included",
                     .defaults = {"SGD", 0.01, SgdAttributes{}}}};
  return rows;
}

// ---- reading

constexpr json::Range<double> a_share{.at_least = 0.0, .at_most = 1.0};
constexpr json::Range<double> not_negative{.at_least = 0.0};
constexpr json::Range<double> positive{.above = 0.0};

void read_config(ConfigReader& reader, SgdAttributes& sgd) {
  sgd.momentum = reader.number("momentum", sgd.momentum, a_share);
  sgd.nesterov = reader.flag("nesterov", sgd.nesterov);
  sgd.weight_decay = reader.number("weight_decay", sgd.weight_decay, not_negative);
}

void read_config(ConfigReader& reader, AdamAttributes& adam) {
  adam.beta_1 = reader.number("beta_1", adam.beta_1, a_share);
  adam.beta_2 = reader.number("beta_2", adam.beta_2, a_share);
  adam.epsilon = reader.number("epsilon", adam.epsilon, positive);
  adam.weight_decay = reader.number("weight_decay", adam.weight_decay, not_negative);
  reader.not_offered({"amsgrad"});
}

void read_config(ConfigReader& reader, RmsPropAttributes& rms) {
  rms.rho = reader.number("rho", rms.rho, a_share);
  rms.momentum = reader.number("momentum", rms.momentum, a_share);
  rms.epsilon = reader.number("epsilon", rms.epsilon, positive);
  rms.centered = reader.flag("centered", rms.centered);
  reader.not_offered({"weight_decay"});
}

// Keras writes a learning-rate schedule as an object in place of the number.
double read_learning_rate(ConfigReader& reader, double otherwise) {
  const json::Value* value = reader.value("learning_rate");
  if (value == nullptr || value->kind() != json::Kind::object)
    return reader.number("learning_rate", otherwise, not_negative);
  reader.problem("learning_rate", "a schedule of learning rates is not offered yet", "write a number");
  return otherwise;
}

// Reads the arguments that all optimizers have. The two other ema_ keys have no effect, since use_ema must be
// false.
void read_common(ConfigReader& reader, Optimizer& optimizer) {
  optimizer.name = reader.text("name", optimizer.name);
  optimizer.learning_rate = read_learning_rate(reader, optimizer.learning_rate);
  reader.not_offered({"clipnorm", "global_clipnorm", "clipvalue", "use_ema", "loss_scale_factor",
                      "gradient_accumulation_steps", "decay"});
  reader.ignore({"ema_momentum", "ema_overwrite_frequency", "jit_compile", "is_legacy_optimizer"});
}

// ---- slots

// One call of apply_gradients, and the optimizer's own variables in it.
struct Applying {
  Building& building;
  const Optimizer& optimizer;
  const std::vector<Symbol>& variables;
  const std::vector<Symbol>& gradients;
  Symbol learning_rate{};
  Semantics semantics = Semantics::keras2;

  Symbol slot(std::string_view kind, Symbol variable) const {
    const Program& program = building.trace().program();
    const std::string& name = program.values[index(variable.value)].name;
    const VariableOptions options{.trainable = false, .slot_of = name};
    return building.weight({slot_name(optimizer, kind, name), variable.spec(), zeros, options, {}});
  }
  std::vector<Symbol> slots(std::string_view kind) const {
    std::vector<Symbol> all;
    for (const Symbol& variable : variables) all.push_back(slot(kind, variable));
    return all;
  }
  Symbol iteration() const { return model::iteration(building, optimizer); }
  void count_step(Symbol iteration) const {
    const Symbol one = fill(building.trace(), iteration.spec(), 1);
    building.update(iteration, iteration + one);
  }
};

// Keras 2 computes m = -g lr + m momentum and w += m even if the momentum is 0 (keras/optimizers/sgd.py). The
// weights are the same without m, so the kernel does not read it. m is updated nevertheless, because it takes
// memory and is part of checkpoints.
void keep_unused_slots(const Applying& call) {
  const Symbol descent = -call.learning_rate;
  for (std::size_t i = 0; i < call.variables.size(); ++i)
    call.building.update(call.slot("m", call.variables[i]), call.gradients[i] * descent);
}

void apply(const Applying& call, const SgdAttributes& sgd) {
  call.count_step(call.iteration());
  const Slots slots{.first = sgd.momentum != 0 ? call.slots("m") : std::vector<Symbol>{}};
  if (sgd.momentum == 0 && is_on(Switch::sgd_slot_without_momentum, call.semantics)) keep_unused_slots(call);
  apply_sgd(call.variables, slots, call.gradients, call.learning_rate, sgd);
}

// Variables that one kernel updates. Their squares are either all g * g or all their own.
struct Group {
  std::vector<std::size_t> members{};  // positions among the variables
  std::vector<Symbol> squares{};       // of each member; empty where they are g * g

  std::vector<Symbol> of(const std::vector<Symbol>& all) const {
    std::vector<Symbol> own;
    for (const std::size_t member : members)
      if (!all.empty()) own.push_back(all[member]);
    return own;
  }
  Slots of(const Slots& all) const { return {of(all.first), of(all.second), of(all.third)}; }
  std::vector<Symbol> gradients_and_squares(const std::vector<Symbol>& gradients) const {
    std::vector<Symbol> operands = of(gradients);
    operands.insert(operands.end(), squares.begin(), squares.end());
    return operands;
  }
};

// The groups of an optimizer that squares gradients.
std::vector<Group> groups_of(const Applying& call) {
  Group usual, apart;
  for (std::size_t i = 0; i < call.variables.size(); ++i) {
    const std::optional<Symbol> squares = is_on(Switch::look_ups_are_squared_apart, call.semantics)
                                              ? squares_of_look_ups(call.gradients[i])
                                              : std::nullopt;
    (squares ? apart : usual).members.push_back(i);
    if (squares) apart.squares.push_back(*squares);
  }
  std::vector<Group> groups;
  for (Group& group : std::array{std::move(usual), std::move(apart)})
    if (!group.members.empty()) groups.push_back(std::move(group));
  return groups;
}

// The number of steps is an operand of Adam's update, which corrects the moments for their bias, and the
// update also increments it. The other optimizers only count their steps.
void apply(const Applying& call, AdamAttributes adam) {
  const Symbol iteration = call.iteration();
  Slots slots;
  for (const Symbol& variable : call.variables) {
    slots.first.push_back(call.slot("m", variable));
    slots.second.push_back(call.slot("v", variable));
  }
  for (const Group& group : groups_of(call)) {
    adam.given_squares = !group.squares.empty();
    apply_adam(group.of(call.variables), group.of(slots), iteration,
               group.gradients_and_squares(call.gradients), call.learning_rate, adam);
  }
}

void apply(const Applying& call, RmsPropAttributes rms) {
  if (rms.momentum == 0 && !is_on(Switch::rmsprop_epsilon_in_root, call.semantics))
    throw InputError(
        "[RMSprop] TensorFlow 2.0's form without momentum, with epsilon outside the root, is not "
        "offered yet",
        "choose the semantics keras2 or keras3, or another optimizer");
  call.count_step(call.iteration());
  Slots slots{.second = call.slots("velocity")};
  if (rms.momentum != 0) slots.first = call.slots("momentum");
  if (rms.centered) slots.third = call.slots("average_gradient");
  for (const Group& group : groups_of(call)) {
    rms.given_squares = !group.squares.empty();
    apply_rmsprop(group.of(call.variables), group.of(slots), group.gradients_and_squares(call.gradients),
                  call.learning_rate, rms);
  }
}

}  // namespace

std::span<const OptimizerClass> optimizers() { return optimizer_rows(); }

Optimizer optimizer_named(std::string_view name) {
  const OptimizerClass* row = find_row(optimizer_rows(), name);
  if (row == nullptr) throw InputError(unknown_row(optimizer_rows(), {}, name, "optimizer"));
  return row->defaults;
}

std::optional<Optimizer> read_optimizer(const json::Value& value, Problems& problems) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  const OptimizerClass* row = find_row(optimizer_rows(), read->name);
  if (row == nullptr) {
    problems.add(unknown_row(optimizer_rows(), read->place, read->name, "optimizer"));
    return std::nullopt;
  }
  Optimizer optimizer = row->defaults;
  ConfigReader reader(read->config, problems);
  read_common(reader, optimizer);
  std::visit([&](auto& update) { read_config(reader, update); }, optimizer.update);
  reader.finish();
  return optimizer;
}

void apply_gradients(Building& building, const Optimizer& optimizer, const std::vector<Symbol>& variables,
                     const std::vector<Symbol>& gradients, Symbol learning_rate,
                     const ApplyOptions& options) {
  if (variables.empty() || variables.size() != gradients.size())
    throw InputError(
        fmt::format("[apply_gradients] {} variables and {} gradients", variables.size(), gradients.size()),
        "there must be one gradient per variable, and at least one");
  building.trace().in_scope(optimizer.name, [&] {
    std::vector<Symbol> summed = gradients;
    if (options.aggregate)
      for (Symbol& gradient : summed) gradient = all_reduce(gradient, Reduction::sum);
    const Applying call{building, optimizer, variables, summed, learning_rate, options.semantics};
    std::visit([&](const auto& update) { apply(call, update); }, optimizer.update);
    building.complete_updates();
  });
}

// All replicas compute the same number, so it is not summed over them.
Symbol iteration(Building& building, const Optimizer& optimizer) {
  const VariableOptions options{.trainable = false, .aggregation = Aggregation::only_first_replica};
  return building.weight({iteration_name(optimizer), {Type::int64, {}}, zeros, options, {}});
}

std::string iteration_name(const Optimizer& optimizer) { return optimizer.name + "/iteration"; }

std::string slot_name(const Optimizer& optimizer, std::string_view slot, std::string_view variable) {
  return fmt::format("{}/{}/{}", optimizer.name, slot, variable);
}

}  // namespace wt::model
