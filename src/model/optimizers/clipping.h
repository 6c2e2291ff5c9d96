#pragma once
// What is done to gradients before the update.

#include <vector>

#include "model/optimizer.h"

namespace wt::model {

using Gradients = std::vector<Symbol>;

Symbol times(Symbol gradient, Symbol factor);

// By the first of clipnorm, global_clipnorm and clipvalue, in which order Keras looks at them.
Gradients clipped(Gradients gradients, const Optimizer& optimizer);

// 0 if all are finite, and otherwise NaN, which the product of 0 with any other number is.
Symbol zero_if_finite(const Gradients& gradients);

}  // namespace wt::model
