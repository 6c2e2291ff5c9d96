#pragma once

#include <functional>
#include <optional>

#include "program/trace.h"

namespace wt::model {

// Gradients of tables. A table of embeddings is read by look-ups alone, and its gradient is a sum of one row for each
// id that was looked up (tf.IndexedSlices). Where TensorFlow or Keras work on these rows, two look-ups of the same id
// with the gradients g and h are two rows. For example, Keras 3 squares g and h for Adam and RMSprop and adds the
// squares, which gives g^2 + h^2; Keras 2 adds the rows first, which gives (g + h)^2, as for all other variables.
//
// All functions return none where the gradient is not such a sum, for example because a regularizer has its part in it.
// TensorFlow then has a dense gradient.

using OfRows = std::function<Symbol(Symbol rows)>;

// The gradient with `of` applied to the rows, also of the replicas over which the gradient is summed.
std::optional<Symbol> with_look_ups(Symbol gradient, const OfRows& of);

// The sum of all elements of `of` over the rows.
std::optional<Symbol> sum_over_look_ups(Symbol gradient, const OfRows& of);

}  // namespace wt::model
