#pragma once

#include <vector>

#include "program/operations.h"

namespace wt::model {

inline constexpr double epsilon =
    1e-7;  // keras.backend.epsilon(), which keeps a divisor or a logarithm from 0

// A vector of given numbers. There is no kernel for constants that differ, so each is filled apart.
Symbol constants(Trace& trace, const std::vector<double>& numbers, Type type = Type::float32);

// One number with the type of x, for operations that broadcast.
Symbol number_like(Symbol x, double value);

// x, but at least `least` and at most `most`. The slope is 1 at both, and 0 where x is NaN.
Symbol clipped(Symbol x, double least, double most);

}  // namespace wt::model
