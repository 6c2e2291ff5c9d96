#pragma once

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model {

// The penalty on a weight, a scalar. Throws InputError for an orthogonal regularizer of what is not a matrix.
Symbol penalty(Symbol weight, const Regularizer& regularizer, Semantics semantics = default_semantics);

// Reads null, a name such as "l2", or {"class_name": "L2", "config": {"l2": 1e-4}}. The classes are L1, L2, L1L2
// and OrthogonalRegularizer. Returns none for null and after a problem. With a version, only its names are known: "l1_l2"
// is a function of Keras 2, whose penalties are 0.01, and none of Keras 3.
std::optional<Regularizer> regularizer_from_json(const json::Value& value, Problems& problems,
                                                 json::PassedOver* passed = nullptr,
                                                 std::optional<Semantics> version = {});

}  // namespace wt::model
