#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/json_reader.h"
#include "program/operations.h"

namespace wt::model {

// Constraints on weights, which Keras applies after each update by the optimizer (keras/constraints). Norms are taken
// along `axes`, so that each unit of a dense layer has a norm of its own with axis 0.

struct NonNegative {};  // max(w, 0)

// The norm is at most `most`.
struct MaxNorm {
  double most = 2;
  std::vector<int> axes{0};
};

// The norm moves into [least, most]; a rate below 1 moves it a part of the way only.
struct MinMaxNorm {
  double least = 0;
  double most = 1;
  double rate = 1;
  std::vector<int> axes{0};
};

struct UnitNorm {
  std::vector<int> axes{0};
};

// Each kernel of a convolution has one value for each distance from its centre, that of its diagonal. Keras 2 has it.
struct Radial {};

using Constraint = std::variant<NonNegative, MaxNorm, MinMaxNorm, UnitNorm, Radial>;

Symbol constrained(Symbol weight, const Constraint& constraint);

// Reads null, a name such as "non_neg", or {"class_name": "MaxNorm", "config": {"max_value": 2}}. Returns none for null
// and after a problem.
std::optional<Constraint> constraint_from_json(const json::Value& value, Problems& problems,
                                               json::PassedOver* passed = nullptr);

}  // namespace wt::model
