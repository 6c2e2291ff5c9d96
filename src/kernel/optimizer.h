#pragma once

#include <cstddef>

#include "kernel/attributes.h"

namespace wt {

// The order of an optimizer kernel's operands. For n parameters they are: n parameters, n tensors of each
// slot, the count of steps (Adam only), n gradients, n squares of gradients (only with given_squares), the
// learning rate. The results are the new parameters, slots and count, in the same order. For Adam with n = 2:
//     w0 w1 | m0 m1 | v0 v1 | count | g0 g1 | rate
//
// Squares are operands where they are not those of the gradient: of a table whose rows are looked up more than
// once, Keras 3 squares the gradient of each look-up and adds the squares.
struct OptimizerLayout {
  std::size_t slots = 0;  // per parameter
  bool has_count = false;
  bool has_squares = false;

  // The number of inputs for so many parameters, and the other way round.
  std::size_t inputs(std::size_t parameters) const {
    return parameters * per_parameter() + 1 + (has_count ? 1 : 0);
  }
  std::size_t parameters(std::size_t inputs) const {
    return (inputs - 1 - (has_count ? 1 : 0)) / per_parameter();
  }
  std::size_t per_parameter() const { return 2 + slots + (has_squares ? 1 : 0); }
  // Where the count and the first gradient stand among the inputs. Without a count, both are the same.
  std::size_t count_at(std::size_t parameters) const { return parameters * (1 + slots); }
  std::size_t gradients_at(std::size_t parameters) const {
    return count_at(parameters) + (has_count ? 1 : 0);
  }
  // Requires: has_squares.
  std::size_t squares_at(std::size_t parameters) const { return gradients_at(parameters) + parameters; }
};

// SGD and RMSprop have a slot for the momentum only if the momentum is not 0. RMSprop has a slot for the mean
// gradient only if it is centered.
inline OptimizerLayout layout_of(const SgdAttributes& attributes) {
  return {attributes.momentum != 0 ? std::size_t{1} : std::size_t{0}, false};
}
inline OptimizerLayout layout_of(const AdamAttributes& attributes) {
  return {2, true, attributes.given_squares};
}
inline OptimizerLayout layout_of(const RmsPropAttributes& attributes) {
  return {std::size_t{1} + (attributes.momentum != 0) + attributes.centered, false, attributes.given_squares};
}

}  // namespace wt
