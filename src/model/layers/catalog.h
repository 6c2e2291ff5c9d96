#pragma once

#include <span>

#include "model/layers/reader.h"

namespace wt::model {

// The layer classes that a JSON file can name. Each layer consists of a struct with Keras' arguments and
// defaults (DenseConfig), a function that makes the layer (dense), and a row in this table, whose function
// reads the arguments from JSON. A new layer needs these three and nothing else.
//
// The models Sequential and Functional are not in this table. The reader in model/keras/ handles them,
// because their configurations contain layers.
struct LayerClass {
  std::string_view class_name{};
  std::string_view summary{};
  LayerPtr (*from_json)(LayerReader& config) = nullptr;
};

std::span<const LayerClass> layer_classes();                      // sorted by name
const LayerClass* find_layer_class(std::string_view class_name);  // null if the class is unknown

// The operations that Keras writes as if they were layers (layers/operation.h). Some have the name of a layer.
const LayerClass* find_operation_row(std::string_view class_name);  // null if the class is unknown
std::span<const LayerClass> operation_rows();                       // sorted by name

// Reads the shape and the type of a model's input from the configuration of its first layer: "batch_shape" or
// "batch_input_shape" (which Keras 2 also writes into other layers than an InputLayer), and "dtype". The
// result has no batch axis. Returns none if neither shape is stated.
std::optional<TensorSpec> input_spec_from_json(LayerReader& config);

}  // namespace wt::model
