#pragma once

#include "model/keras/importing.h"

namespace wt::model::keras {

// Output number `output` of call number `call` of the layer `layer`. Keras 2 writes it as ["dense", 0, 0],
// and Keras 3 as an object of class __keras_tensor__ that contains this list.
struct Reference {
  std::string layer{};
  std::int64_t call = 0;
  std::int64_t output = 0;
  Place place{};
};

// One call of a layer.
struct Inbound {
  std::vector<Reference> inputs{};
  CallOptions options{};
  Place place{};
};

// What is called. An operation takes numbers among its arguments, and the slices of x[...] are no arguments of a tensor.
enum class Callee : std::uint8_t { layer, operation, slicing };

// Reads an entry of "inbound_nodes": an object with "args" and "kwargs" of Keras 3, or a list of Keras 2.
Inbound read_inbound(const json::Value& node, Callee callee, Problems& problems);

// Reads "input_layers" or "output_layers": references, nested in lists and objects. An object's members are
// read in the order of their keys, as tf.nest.flatten orders them.
std::vector<Reference> read_references(const json::Value& structure, Problems& problems);

}  // namespace wt::model::keras
