#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "model/layer.h"
#include "model/semantics.h"
#include "model/serialized.h"

namespace wt::model {

// Optimizers. An optimizer updates variables by their gradients and keeps state in variables of its own, its
// slots. For example, SGD with momentum has one slot per variable: for dense/kernel it is SGD/m/dense/kernel,
// which the step multiplies by the momentum, changes by -learning_rate * gradient, and adds to dense/kernel.
// On several replicas the gradients are summed first, so that every replica makes the same update.

// The configuration of an optimizer. `learning_rate` is the initial rate; in the step the rate is an operand,
// so it can change between steps without a new trace.
struct Optimizer {
  std::string name{};  // Keras' name argument; two optimizers in one step need different names
  double learning_rate = 0;
  std::variant<SgdAttributes, AdamAttributes, RmsPropAttributes> update{};
};

struct OptimizerClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  Optimizer defaults{};
};

std::span<const OptimizerClass> optimizers();

// The optimizer of that name with Keras' defaults. Throws InputError for an unknown name.
Optimizer optimizer_named(std::string_view name);

// Reads a name, or an object with "class_name" and "config" as Keras 2 (its legacy optimizers included) or 3
// writes it. An argument that is not implemented and would change the result is a problem. Returns none after
// a problem.
std::optional<Optimizer> read_optimizer(const json::Value& value, Problems& problems);

struct ApplyOptions {
  Semantics semantics = Semantics::keras2;
  // Keras' experimental_aggregate_gradients: sum the gradients over the replicas before the update.
  bool aggregate = true;
};

// Keras' apply_gradients: updates the variables by their gradients. The optimizer adds variables of its own
// to the step: the number of its steps, "Adam/iteration", and slots, named as Keras 2 names them, such as
// "SGD/m/dense/kernel", "Adam/v/...", "RMSprop/velocity/...", "RMSprop/momentum/..." and
// "RMSprop/average_gradient/...". Requires: one gradient per variable.
void apply_gradients(Building& building, const Optimizer& optimizer, const std::vector<Symbol>& variables,
                     const std::vector<Symbol>& gradients, Symbol learning_rate,
                     const ApplyOptions& options = {});

// The number of the optimizer's steps, a variable of the step. Keras' optimizers make it first, before the
// learning rate (keras/optimizers/optimizer.py of Keras 2.15), so that on parameter servers its turn comes
// first.
Symbol iteration(Building& building, const Optimizer& optimizer);

// Names of the optimizer's own variables: "Adam/iteration", "Adam/m/dense/kernel".
std::string iteration_name(const Optimizer& optimizer);
std::string slot_name(const Optimizer& optimizer, std::string_view slot, std::string_view variable);

}  // namespace wt::model
