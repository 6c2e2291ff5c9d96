#pragma once

#include "kernel/kernel.h"

namespace wt {

// The product that a matmul computes. If b is a single matrix that all matrices of a are multiplied with, the
// leading axes of a become part of m.
ProductGeometry product_geometry(const Shape& a, const Shape& b, const Attributes& attributes);

}  // namespace wt
