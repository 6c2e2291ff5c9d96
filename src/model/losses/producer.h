#pragma once

#include <optional>
#include <string_view>

#include "program/operations.h"

namespace wt::model {

// If x is the output of a node with this kernel, returns the input of that node.
std::optional<Symbol> input_of(Symbol x, std::string_view kernel);

}  // namespace wt::model
