#include "model/mask.h"

namespace wt::model {

namespace {

Symbol as_numbers(Symbol mask) { return cast(mask, Type::float32); }
Symbol is_positive(Symbol x) { return greater(x, fill(*x.trace, {x.spec().type, {}}, 0)); }

}  // namespace

Symbol both(Symbol a, Symbol b) { return is_positive(minimum(as_numbers(a), as_numbers(b))); }
Symbol either(Symbol a, Symbol b) { return is_positive(maximum(as_numbers(a), as_numbers(b))); }
Symbol negated(Symbol mask) { return equal(as_numbers(mask), fill(*mask.trace, {Type::float32, {}}, 0)); }
Symbol not_equal(Symbol x, double value) {
  return negated(equal(x, fill(*x.trace, {x.spec().type, {}}, value)));
}
Symbol any(Symbol x, const Shape& axes, bool keep_dims) {
  return is_positive(reduce_max(as_numbers(x), axes, keep_dims));
}

Symbol as_factors(Symbol mask, Symbol x) {
  Shape shape = mask.shape();
  while (shape.rank() < x.shape().rank()) shape.append(1);
  return reshape(cast(mask, x.spec().type), shape);
}

Symbol masked_weight(Symbol weight, Symbol mask) {
  Shape shape = weight.shape();
  while (shape.rank() < mask.shape().rank()) shape.append(1);
  return reshape(weight, shape) * cast(mask, weight.spec().type);
}

}  // namespace wt::model
