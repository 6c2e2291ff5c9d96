#include "model/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/constants.h"

namespace wt::model {

namespace {

Shape with_one(Shape shape) {
  shape.append(1);
  return shape;
}

bool ends_in_one(Symbol x) { return x.shape().rank() > 0 && x.shape().last() == 1; }
Symbol squeezed(Symbol x) { return reshape(x, x.shape().without(x.shape().rank() - 1)); }

// Makes `longer` as short as the other, which has one axis less, or a vector as long as `longer`.
void align(Symbol& longer, Symbol& shorter, bool expands) {
  if (!ends_in_one(longer)) return;
  if (expands && shorter.shape().rank() == 1)
    shorter = reshape(shorter, with_one(shorter.shape()));
  else
    longer = squeezed(longer);
}

}  // namespace

Symbol as_type(Symbol x, Type type) { return x.spec().type == type ? x : cast(x, type); }
Symbol as_float(Symbol x) { return is_floating(x.spec().type) ? x : cast(x, Type::float32); }
Symbol as_wide_float(Symbol x) { return is_half(x.spec().type) ? cast(x, Type::float32) : as_float(x); }

Pair aligned(Symbol labels, Symbol predictions, bool expands) {
  const int more = predictions.shape().rank() - labels.shape().rank();
  if (more == 1) align(predictions, labels, expands);
  if (more == -1) align(labels, predictions, expands);
  return {labels, predictions};
}

Symbol with_rank_of(Symbol weight, Symbol x) {
  Shape shape = weight.shape();
  const int rank = x.shape().rank();
  while (shape.rank() < rank) shape.append(1);
  while (shape.rank() > rank && shape.last() == 1) shape = shape.without(shape.rank() - 1);
  return shape == weight.shape() ? weight : reshape(weight, shape);
}

Symbol with_near_rank(Symbol weight, Symbol x) {
  const Shape& w = weight.shape();
  const int more = w.rank() - x.shape().rank();
  if (w.rank() == 0 || std::abs(more) != 1) return weight;
  if (more == 1 && w.last() != 1)
    throw InputError(
        fmt::format("Can not squeeze dim[{}], expected a dimension of 1, got {}", w.rank() - 1, w.last()),
        "give one weight for each value");
  return with_rank_of(weight, x);
}

bool fits(const Shape& weight, const Shape& x) {
  if (weight.rank() != x.rank()) return weight.rank() == 0;
  for (int axis = 0; axis < weight.rank(); ++axis)
    if (weight[axis] != 1 && weight[axis] != x[axis]) return false;
  return true;
}

void refuse_shapes(const Shape& a, const Shape& b, std::string remedy) {
  throw InputError(fmt::format("Incompatible shapes: {} vs. {}", print(a), print(b)), std::move(remedy));
}

void require_broadcast(const Shape& a, const Shape& b, std::string remedy) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t m = a[a.rank() - i], n = b[b.rank() - i];
    if (m != n && m != 1 && n != 1) refuse_shapes(a, b, std::move(remedy));
  }
}

std::string shape_in_python(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  return fmt::format("({}{})", text, shape.rank() == 1 ? "," : "");
}

Symbol one_hot(Symbol ids, std::int64_t classes) {
  const Symbol numbers = as_type(ids, Type::int64);
  const Symbol all = range(*ids.trace, {Type::int64, {classes}}, 1);
  return cast(equal(reshape(numbers, with_one(numbers.shape())), all), Type::float32);
}

Shape last_axis_of(Symbol x) { return {x.shape().rank() - 1}; }

Symbol power(Symbol x, double exponent) {
  if (exponent < 0) return number_like(x, 1) / power(x, -exponent);
  if (exponent == 0) return fill(*x.trace, x.spec(), 1);
  if (exponent == 0.5) return sqrt(x);
  constexpr double most_factors = 16;
  if (exponent == std::trunc(exponent) && exponent <= most_factors) {
    Symbol product = x;
    for (int i = 1; i < static_cast<int>(exponent); ++i) product = product * x;
    return product;
  }
  // The logarithm of 0 has no slope. There the root has TensorFlow's for exponents below 1, which is infinite.
  const Symbol is_zero = equal(x, number_like(x, 0));
  const Symbol others = exp(log(select(is_zero, number_like(x, 1), x)) * exponent);
  return select(is_zero, exponent < 1 ? sqrt(x) : number_like(x, 0), others);
}

Symbol unit_vectors(Symbol x, int axis, Semantics semantics) {
  const double least = is_on(Switch::unit_vectors_bound_the_inverse, semantics) ? 1e-14 : 1e-12;
  return x / sqrt(maximum(reduce_sum(square(x), {axis}, true), number_like(x, least)));
}

Symbol softplus(Symbol x) {
  const Symbol rest = log(exp(minimum(x, -x)) + 1);  // the argument of exp is never above 0
  return rest + relu(x);
}

Symbol divide_no_nan(Symbol a, Symbol b) {
  const Symbol is_zero = equal(b, number_like(b, 0));
  return select(is_zero, number_like(a, 0), a / select(is_zero, number_like(b, 1), b));
}

}  // namespace wt::model
