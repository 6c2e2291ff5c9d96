#pragma once
// Masks of sequences: boolean[batch, time], true where a step counts.

#include "program/operations.h"

namespace wt::model {

Symbol both(Symbol a, Symbol b);    // a and b
Symbol either(Symbol a, Symbol b);  // a or b
Symbol negated(Symbol mask);
Symbol not_equal(Symbol x, double value);
Symbol any(Symbol x, const Shape& axes, bool keep_dims = false);  // whether one of the elements is true

// 1 where the mask is true and 0 elsewhere, with further axes of extent 1 up to the rank of x.
Symbol as_factors(Symbol mask, Symbol x);

// How much a value counts whose row, or step, has this weight: nothing where the mask is false. The weight may lack the
// mask's last axes.
Symbol masked_weight(Symbol weight, Symbol mask);

}  // namespace wt::model
