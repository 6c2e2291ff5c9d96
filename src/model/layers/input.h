#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' InputLayer: declares the shape and the type of an input of a model. The shape does not include the
// batch axis, and an extent of 0 accepts any extent. The layer returns its input, cast to `type` if it has
// another type.
LayerPtr input_layer(const Shape& shape, Type type = Type::float32, std::string name = {});

}  // namespace wt::model
