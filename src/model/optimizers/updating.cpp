#include "model/optimizers/updating.h"

#include <cmath>

#include "model/look_ups.h"
#include "program/operations.h"

namespace wt::model {

Symbol one_minus(Symbol x) { return x * -1.0 + 1.0; }

Symbol root_mean_square(Symbol x) { return sqrt(reduce_mean(square(x))); }

namespace {

Symbol as(Symbol x, Type type) { return x.spec().type == type ? x : cast(x, type); }

Symbol of_look_ups(const Applying& call, Symbol gradient, Symbol (*of)(Symbol)) {
  const std::optional<Symbol> apart =
      is_on(Switch::look_ups_are_squared_apart, call.semantics) ? with_look_ups(gradient, of) : std::nullopt;
  return apart ? *apart : of(gradient);
}

}  // namespace

Updating::Updating(const Applying& applied, Symbol to_update, Symbol value, Symbol gradient)
    : w(value),
      g(gradient),
      rate(as(applied.learning_rate, value.spec().type)),
      call_(applied),
      variable_(to_update) {}

Symbol Updating::slot(std::string_view kind, const Initializer& initializer,
                      std::optional<Shape> shape) const {
  return call_.slot(kind, variable_, initializer, shape);
}

Symbol Updating::set(std::string_view kind, Symbol value) const {
  call_.building.update(call_.slot(kind, variable_, zeros, value.shape()), value);
  return value;
}

Symbol Updating::move(std::string_view kind, Symbol target, double share) const {
  const Symbol old = slot(kind);
  return set(kind, old + (target - old) * share);
}

Symbol Updating::squares() const { return of_look_ups(call_, g, square); }
Symbol Updating::magnitudes() const { return of_look_ups(call_, g, abs); }

Symbol Updating::number(double value) const { return fill(*w.trace, {w.spec().type, {}}, value); }

Symbol Updating::step(double ahead) const { return cast(call_.updates(), w.spec().type) + ahead; }

Symbol Updating::to_the_step(double base, double ahead) const {
  if (base <= 0) return number(0);
  // The logarithm is that of the number that float32 holds.
  return exp(step(ahead) * std::log(static_cast<double>(static_cast<float>(base))));
}

}  // namespace wt::model
