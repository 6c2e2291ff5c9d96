#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/rows.h"

namespace wt::data {

// The same rows, with classes as one-hot rows: int32[] becomes float32[classes], a 1 at the class among
// zeros, like keras.utils.to_categorical. `classes` has a number for each component, which is 0 for those
// that stay. Requires: the others are int32 in [0, classes).
std::shared_ptr<const Rows> one_hot_rows(std::shared_ptr<const Rows> rows, std::vector<std::int64_t> classes);

}  // namespace wt::data
