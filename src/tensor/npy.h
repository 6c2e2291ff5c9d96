#pragma once
// The format .npy of NumPy, in which the entries of an .npz archive are stored: a header that is a literal of Python, and
// the numbers in row-major order (numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0).

#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace wt {

// The bytes of a file. Requires: the tensor has numbers, and its type is not bfloat16, which NumPy doesn't have.
std::string to_npy(const Tensor& tensor);

}  // namespace wt
