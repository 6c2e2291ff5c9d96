#pragma once
// Layers that C++ made, and that can be written as Keras writes its layers. A model from a file has its arguments in the
// file; the zoo's models consist of such layers, so that a program of TensorFlow can make them, too.

#include "base/json_writer.h"
#include "model/layer.h"

namespace wt::model {

// A layer that writes the arguments of Keras' constructor, as members of an open object, by Keras' names. Initializers
// are left out: such a model is written together with its weights.
class WritesArguments {
 public:
  virtual ~WritesArguments() = default;
  virtual void write_arguments(json::Writer& out) const = 0;
};

inline void write_extents(json::Writer& out, std::string_view key, const Shape& extents) {
  out.key(key).begin_array(json::Layout::one_line);
  for (const std::int64_t extent : extents) out.value(extent);
  out.end_array();
}

inline void write_padding(json::Writer& out, Padding padding) {
  out.member("padding", padding == Padding::same ? "same" : "valid");
}

}  // namespace wt::model
