#pragma once

#include <vector>

#include "program/operations.h"

namespace wt::model {

// A vector of given numbers. There is no kernel for constants that differ, so each is filled apart.
Symbol constants(Trace& trace, const std::vector<double>& numbers, Type type = Type::float32);

// One number with the type of x, for operations that broadcast.
Symbol number_like(Symbol x, double value);

}  // namespace wt::model
