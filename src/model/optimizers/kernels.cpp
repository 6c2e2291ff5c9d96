#include "model/optimizers/kernels.h"

#include "model/look_ups.h"
#include "model/optimizers/rules.h"
#include "program/operations.h"

namespace wt::model {

namespace {

// Keras 2 computes m = -g lr + m momentum and w += m even if the momentum is 0 (keras/optimizers/sgd.py). The
// weights are the same without m, so the kernel does not read it. m is updated nevertheless, because it takes
// memory and is part of checkpoints.
void keep_unused_slots(const Applying& call) {
  const Symbol descent = -call.learning_rate;
  for (std::size_t i = 0; i < call.variables.size(); ++i)
    call.building.update(call.slot("m", call.variables[i]), call.gradients[i] * descent);
}

// Variables that one kernel updates. They all have weight decay or none, and their squares are either all g * g or all
// their own.
struct Group {
  std::vector<std::size_t> members{};  // positions among the variables
  std::vector<Symbol> squares{};       // of each member; empty where they are g * g
  double weight_decay = 0;

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

std::vector<Group> groups_of(const Applying& call, bool needs_squares) {
  const double decay = call.optimizer.weight_decay.value_or(0);
  std::array<Group, 4> all;
  for (std::size_t i = 0; i < call.variables.size(); ++i) {
    const bool decays = decay != 0 && call.decays(call.variables[i]);
    const std::optional<Symbol> squares =
        needs_squares && is_on(Switch::look_ups_are_squared_apart, call.semantics)
            ? with_look_ups(call.gradients[i], square)
            : std::nullopt;
    Group& group = all[(squares ? 2U : 0U) + (decays || decay == 0 ? 0U : 1U)];
    group.members.push_back(i);
    group.weight_decay = decays ? decay : 0;
    if (squares) group.squares.push_back(*squares);
  }
  std::vector<Group> groups;
  for (Group& group : all)
    if (!group.members.empty()) groups.push_back(std::move(group));
  return groups;
}

void count_step(const Applying& call) {
  call.building.update(call.iteration,
                       call.iteration + fill(call.building.trace(), call.iteration.spec(), 1));
}

void sgd_kernels(const Applying& call) {
  count_step(call);
  SgdAttributes attributes{.momentum = call.optimizer["momentum"],
                           .nesterov = call.optimizer["nesterov"] != 0};
  const bool moves = attributes.momentum != 0;
  const Slots slots{.first = moves ? call.slots("m") : std::vector<Symbol>{}};
  if (!moves && is_on(Switch::sgd_slot_without_momentum, call.semantics)) keep_unused_slots(call);
  for (const Group& group : groups_of(call, false)) {
    attributes.weight_decay = group.weight_decay;
    apply_sgd(group.of(call.variables), group.of(slots), group.of(call.gradients), call.learning_rate,
              attributes);
  }
}

// The number of steps is an operand of Adam's update, which corrects the moments for their bias, and the
// update also increments it. The other optimizers only count their steps.
void adam_kernels(const Applying& call) {
  Slots slots;
  for (const Symbol& variable : call.variables) {
    slots.first.push_back(call.slot("m", variable));
    slots.second.push_back(call.slot("v", variable));
  }
  AdamAttributes attributes{.beta_1 = call.optimizer["beta_1"],
                            .beta_2 = call.optimizer["beta_2"],
                            .epsilon = call.optimizer["epsilon"]};
  for (const Group& group : groups_of(call, true)) {
    attributes.given_squares = !group.squares.empty();
    attributes.weight_decay = group.weight_decay;
    apply_adam(group.of(call.variables), group.of(slots), call.iteration,
               group.gradients_and_squares(call.gradients), call.learning_rate, attributes);
  }
}

void rmsprop_kernels(const Applying& call) {
  RmsPropAttributes attributes{.rho = call.optimizer["rho"],
                               .momentum = call.optimizer["momentum"],
                               .epsilon = call.optimizer["epsilon"],
                               .centered = call.optimizer["centered"] != 0};
  count_step(call);
  Slots slots{.second = call.slots("velocity")};
  if (attributes.momentum != 0) slots.first = call.slots("momentum");
  if (attributes.centered) slots.third = call.slots("average_gradient");
  for (const Group& group : groups_of(call, true)) {
    attributes.given_squares = !group.squares.empty();
    apply_rmsprop(group.of(call.variables), group.of(slots), group.gradients_and_squares(call.gradients),
                  call.learning_rate, attributes);
  }
}

}  // namespace

bool apply_kernels(const Applying& call) {
  const Optimizer& optimizer = call.optimizer;
  const auto is = [&](Symbol (*update)(Updating&)) { return optimizer.type->update == update; };
  // A kernel reads the iteration itself, which counts the steps that only accumulate as well.
  if (is(adam) && optimizer["amsgrad"] == 0 && optimizer.accumulation == 1)
    adam_kernels(call);
  else if (is(sgd))
    sgd_kernels(call);
  else if (is(rmsprop) && !optimizer.weight_decay)
    rmsprop_kernels(call);
  else
    return false;
  return true;
}

}  // namespace wt::model
