#pragma once
// What a rule of an optimizer works with: one call of apply_gradients, and the update of one variable in it.

#include "model/optimizer.h"

namespace wt::model {

// One call of apply_gradients, and the optimizer's own variables in it.
struct Applying {
  Building& building;
  const Optimizer& optimizer;
  const std::vector<Symbol>& variables;
  const std::vector<Symbol>& gradients;  // summed over the replicas
  Symbol learning_rate{};
  Symbol iteration{};  // the variable
  Semantics semantics = default_semantics;

  // The optimizer's own variable for a variable of the model, of the same shape unless another is given.
  Symbol slot(std::string_view kind, Symbol variable, const Initializer& initializer = zeros,
              std::optional<Shape> shape = {}) const;
  std::vector<Symbol> slots(std::string_view kind) const;
  const std::string& name_of(Symbol variable) const;
  bool decays(Symbol variable) const;  // whether the variable isn't excluded from weight decay
  // The number of updates before this one: the iteration, divided by Optimizer::accumulation.
  Symbol updates() const;
};

// The update of one variable. `w` is its value after weight decay, and `g` its gradient.
class Updating {
 public:
  Updating(const Applying& applied, Symbol to_update, Symbol value, Symbol gradient);

  Symbol w{}, g{};
  Symbol rate{};  // a scalar of w's type

  double operator[](std::string_view key) const { return call_.optimizer[key]; }
  const Applying& call() const { return call_; }
  Symbol variable() const { return variable_; }

  // The value of a slot, and its new value. A slot begins with `initializer`.
  Symbol slot(std::string_view kind, const Initializer& initializer = zeros,
              std::optional<Shape> shape = {}) const;
  Symbol set(std::string_view kind, Symbol value) const;  // returns the value
  // kind += share * (target - kind)
  Symbol move(std::string_view kind, Symbol target, double share) const;

  // g * g and |g|. Keras 3 takes both of each look-up of a table apart, and adds them.
  Symbol squares() const;
  Symbol magnitudes() const;

  Symbol number(double value) const;    // a scalar of w's type
  Symbol step(double ahead = 1) const;  // the number of this update, from 1 on
  Symbol to_the_step(double base, double ahead = 1) const;

 private:
  const Applying& call_;
  Symbol variable_{};
};

Symbol one_minus(Symbol x);
Symbol root_mean_square(Symbol x);

}  // namespace wt::model
