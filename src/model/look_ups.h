#pragma once

#include <optional>

#include "program/trace.h"

namespace wt::model {

// The squares of a table's gradient as Keras 3 takes them for Adam and RMSprop. The table is read by look-ups
// alone, and its gradient is a sum of one row for each id that was looked up (tf.IndexedSlices). Keras 3 squares
// these rows and adds the squares of the same id, also over replicas: two look-ups with the gradients g and h
// give g^2 + h^2. Keras 2 adds the rows first, which gives (g + h)^2, as for all other variables.
//
// Returns none where the gradient is not such a sum, for example because a regularizer has its part in it.
// TensorFlow then has a dense gradient, whose square is that of the sum.
std::optional<Symbol> squares_of_look_ups(Symbol gradient);

}  // namespace wt::model
