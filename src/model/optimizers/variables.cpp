// The optimizer's own variables: its slots, the number of its steps, its rate and its loss scale.

#include <regex>

#include "model/optimizers/updating.h"
#include "model/optimizers/variables.h"

namespace wt::model {

const std::string& Applying::name_of(Symbol variable) const {
  return building.trace().program().values[index(variable.value)].name;
}

Symbol Applying::slot(std::string_view kind, Symbol variable, const Initializer& initializer,
                      std::optional<Shape> shape) const {
  const std::string name = name_of(variable);
  const VariableOptions options{.trainable = false, .slot_of = name};
  TensorSpec spec = variable.spec();
  if (shape) spec.shape = *shape;
  return building.weight({slot_name(optimizer, kind, name), spec, initializer, options, {}});
}

std::vector<Symbol> Applying::slots(std::string_view kind) const {
  std::vector<Symbol> all;
  for (const Symbol& variable : variables) all.push_back(slot(kind, variable));
  return all;
}

Symbol Applying::updates() const {
  if (optimizer.accumulation == 1) return iteration;
  return iteration / fill(building.trace(), iteration.spec(), static_cast<double>(optimizer.accumulation));
}

// Keras 2 searches the whole name of the variable for the patterns, and Keras 3 its last part.
bool Applying::decays(Symbol variable) const {
  const std::string& name = name_of(variable);
  if (std::ranges::count(optimizer.undecayed_variables, name) > 0) return false;
  const std::string searched = is_on(Switch::weight_decay_searches_whole_names, semantics)
                                   ? name + ":0"
                                   : name.substr(name.rfind('/') + 1);
  return std::ranges::none_of(optimizer.undecayed_names, [&](const std::string& pattern) {
    return std::regex_search(searched, std::regex(pattern));
  });
}

// All replicas compute the same number, so it is not summed over them.
Symbol iteration(Building& building, const Optimizer& optimizer) {
  const VariableOptions options{.trainable = false, .aggregation = Aggregation::only_first_replica};
  return building.weight({iteration_name(optimizer), {Type::int64, {}}, zeros, options, {}});
}

bool is_update_step(const Optimizer& optimizer, std::int64_t iterations) {
  return (iterations + 1) % optimizer.accumulation == 0;
}

Symbol learning_rate(Building& building, const Optimizer& optimizer) {
  const Symbol steps = iteration(building, optimizer);  // the optimizer's first variable
  const double first = optimizer.schedule ? 0 : optimizer.learning_rate;
  const Symbol rate = building.weight({.name = learning_rate_name(optimizer),
                                       .spec = {Type::float32, {}},
                                       .initializer = {Constant{first}},
                                       .options = {.trainable = false}});
  if (!optimizer.schedule) return rate;
  const Symbol scheduled =
      building.trace().in_scope(optimizer.name, [&] { return rate_at(*optimizer.schedule, steps); });
  building.update(rate, scheduled);
  return scheduled;
}

Symbol loss_scale(Building& building, const Optimizer& optimizer) {
  const ScaledLoss& scaled = *optimizer.scaled_loss;
  if (!scaled.is_dynamic) return fill(building.trace(), {Type::float32, {}}, scaled.initial_scale);
  return building.weight({.name = loss_scale_name(optimizer),
                          .spec = {Type::float32, {}},
                          .initializer = {Constant{scaled.initial_scale}},
                          .options = {.trainable = false}});
}

Symbol scaled_loss(Building& building, const Optimizer& optimizer, Symbol loss) {
  if (optimizer.scaled_loss) return loss * loss_scale(building, optimizer);
  return optimizer.loss_scale_factor ? loss * *optimizer.loss_scale_factor : loss;
}

}  // namespace wt::model
