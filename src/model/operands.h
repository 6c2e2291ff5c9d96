#pragma once
// Operands of losses and metrics: their types and ranks as Keras aligns them, and functions of a few kernels.

#include <string>

#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

Symbol as_type(Symbol x, Type type);
Symbol as_float(Symbol x);       // float32, unless it is of another floating-point type
Symbol as_wide_float(Symbol x);  // float32, unless it is float64

// Labels and predictions whose ranks are equal where Keras makes them so. If one has a last axis of extent 1 that the
// other lacks, the axis is dropped. `expands`: a vector gets such an axis instead, as in Keras 3.
struct Pair {
  Symbol labels{};
  Symbol predictions{};
};
Pair aligned(Symbol labels, Symbol predictions, bool expands);

// A weight with the rank of x: axes of extent 1 are added, or last ones are dropped.
Symbol with_rank_of(Symbol weight, Symbol x);
// The same where the ranks differ by one, as Keras 2 does; otherwise the weight as it is.
Symbol with_near_rank(Symbol weight, Symbol x);
// Whether each axis of the weight is 1 or that of x, or the weight is one number.
bool fits(const Shape& weight, const Shape& x);
// Throws InputError with TensorFlow's text.
[[noreturn]] void refuse_shapes(const Shape& a, const Shape& b,
                                std::string remedy = "give one weight for each row, or one for each value");
// The same unless a and b broadcast.
void require_broadcast(const Shape& a, const Shape& b,
                       std::string remedy = "give one weight for each row, or one for each value");

// 1 at the position that a class number names, in a new last axis; zeros for a number beyond the classes.
Symbol one_hot(Symbol ids, std::int64_t classes);

// x^exponent. Whole exponents are products, so that x may be negative. The slope at 0 is TensorFlow's.
Symbol power(Symbol x, double exponent);

// x / |x| along an axis, where |x| is at least a small number.
Symbol unit_vectors(Symbol x, int axis, Semantics semantics);

// ln(1 + e^x), which doesn't overflow.
Symbol softplus(Symbol x);

// a / b, and 0 where b is 0, as are the slopes there.
Symbol divide_no_nan(Symbol a, Symbol b);

Shape last_axis_of(Symbol x);
std::string shape_in_python(const Shape& shape);  // "(5, 3)"

}  // namespace wt::model
