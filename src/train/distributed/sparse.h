#pragma once
// tf.IndexedSlices: rows of a tensor that is zero elsewhere, as the gradient of a look-up has them. The same index may
// occur several times; the rows are then added.

#include <optional>
#include <variant>
#include <vector>

#include "train/eager.h"

namespace wt::train {

struct IndexedSlices {
  EagerTensor values{};   // [n, ...]
  EagerTensor indices{};  // integers[n]
  std::optional<Shape> dense_shape{};
};

// What replicas add up: tensors, or slices of them.
using Addend = std::variant<EagerTensor, IndexedSlices>;

}  // namespace wt::train
