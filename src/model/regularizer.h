#pragma once

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model {

// Reads null, a name such as "l2", or {"class_name": "L2", "config": {"l2": 1e-4}}. The classes are L1, L2
// and L1L2. Returns none for null and after a problem.
std::optional<Regularizer> regularizer_from_json(const json::Value& value, Problems& problems,
                                                 json::PassedOver* passed = nullptr);

}  // namespace wt::model
