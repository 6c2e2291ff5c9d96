#pragma once

#include <string>

#include "tensor/tensor.h"

namespace wt {

// Prints a tensor as numpy 1.x prints an array with its default options (numpy/core/arrayprint.py): columns
// of equal width, at most 8 digits behind the point, exponents in all numbers if their magnitudes differ
// much, and lines of 75 characters. Arrays of more than 1000 elements are abbreviated.
//   [[ 1.   -2.5 ]
//    [ 0.25  4.  ]]
// A scalar is printed like a Python number: "3.0". Requires: has_numbers().
std::string print_numpy(const Tensor& tensor);

// Prints a tensor as numpy's repr: "array([1., 2.], dtype=float32)". A scalar is printed like a Python number.
std::string repr_numpy(const Tensor& tensor);

// Prints a shape as Python prints a tuple: "(2, 3)", "(3,)", "()".
std::string print_tuple(const Shape& shape);

}  // namespace wt
