#pragma once
// model/keras/ reads the JSON in which Keras writes a model's architecture. keras_json.cpp reads the
// envelope, layer_entry.cpp an entry of a list of layers, sequential.cpp and functional.cpp the two kinds of
// models, and inbound.cpp the calls of a functional model. A layer's entry looks like this:
//
//   {"class_name": "Dense", "config": {"name": "dense", "units": 10, "activation": "softmax"}}
//
// Keras 2 before 2.13, Keras 2 since 2.13 and Keras 3 write slightly different forms. These do not contradict
// each other, so the reader accepts every form everywhere and ignores the version that a file states.
// A key that could change the result and is not implemented is reported as a problem and never ignored. Every
// version of Keras adds keys. Those that are unknown here and have no value (null, false or empty) leave the
// layer as it was before they existed, so they are passed over and only noted.

#include <map>

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model::keras {

// The state of reading one file: the problems found so far, and the place of each layer in the file.
struct Importing {
  Problems problems{};
  json::PassedOver passed{};
  std::map<const Layer*, Place> places{};
  // Whether a layer has a mixed policy. Otherwise no layer gets one from the file, since Keras writes "float32" into each,
  // and the scenario may choose.
  bool has_mixed_policies = false;
};

// Reads an object with the keys "class_name", "config" and, in a functional model, "name" and
// "inbound_nodes". Returns null after a problem.
LayerPtr read_layer(const json::Value& entry, Importing& importing);

// Whether an entry is an operation of Keras 3 ("module": "keras.src.ops.numpy") or Keras 2 ("TFOpLambda"). Its class may
// have the name of a layer, such as "Multiply".
enum class Callee : std::uint8_t;
Callee callee_of(const json::Value& entry);

bool is_model(std::string_view class_name);  // Sequential, Functional, or Model, the old name of the latter
LayerPtr read_model(std::string_view class_name, const json::Value& config, Importing& importing);
LayerPtr read_functional(const json::Value& config, Importing& importing);

// Adds the problems of an error that was thrown by a layer or a model. A problem without a place gets that of
// the layer that threw it, or `place` if that layer is not known.
void add_problems(const InputError& error, const Place& place, Importing& importing);

}  // namespace wt::model::keras
