#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace wt {

// Reverse-mode differentiation (Griewank and Walther, 2008): appends to the program the nodes that compute
// d loss / d value for each value of `of`, and returns their outputs. To %3 = relu(%2) and the loss %4 =
// reduce_sum(%3), for example, it appends:
//     %5 = fill() value=1           d loss / d loss
//     %6 = reshape(%5) ...
//     %7 = broadcast_to(%6) ...     back through reduce_sum: d loss / d %3
//     %8 = relu_gradient(%7, %3)    back through relu: d loss / d %2
//
// The nodes are visited once, backwards. A value that several nodes read gets the sum of their contributions,
// which are added in the order in which they arrive: the last reader's first. The gradient is a tensor of
// zeros where the loss does not depend on the value.
//
// Throws InputError if the loss is not a floating scalar, and if it depends on a value of `of` through an
// operation without a gradient. The gradient of each kernel is in program/gradient_rules.cpp.
std::vector<ValueId> differentiate(Program& program, ValueId loss, std::span<const ValueId> of);

}  // namespace wt
