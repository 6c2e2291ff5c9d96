#pragma once

#include <span>

#include "model/layer.h"

namespace wt::model {

// Python's x[...]: one slice for each axis; the axes that follow are left as they are. Throws InputError for an index
// beyond an axis, for an empty result, and for a step that is not positive.
Symbol sliced(Symbol x, std::span<const Slice> slices);

}  // namespace wt::model
