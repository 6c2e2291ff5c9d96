#pragma once

#include <string>

#include "tensor/tensor.h"

namespace wt {

// A tensor's numbers as numpy 1.x prints an array with its default options: columns of equal width, 8 digits
// after the point at most, one exponent for all where numbers are far apart, lines of 75 characters, and the
// middle left out of more than 1000 elements (numpy/core/arrayprint.py).
//   [[ 1.   -2.5 ]
//    [ 0.25  4.  ]]
// A scalar is printed as a number of its own: "3.0". Requires: has_numbers().
std::string print_numpy(const Tensor& tensor);

// "(2, 3)", "(3,)", "()": a shape as Python prints a tuple.
std::string print_tuple(const Shape& shape);

}  // namespace wt
