#pragma once
// The model, written out layer by layer: layers of a Sequential in a list, calls of a functional model one after the other.
// Keras' own JSON isn't handed on, since neither version of Keras reads all that the other writes, or what a person does.

#include "tensorflow/python.h"
#include "tensorflow/subject.h"

namespace wt::tensorflow {

// A function make_model() without arguments, and what it needs. Each layer has the name that its weights begin with. Throws
// InputError for a layer, or a call of one, that cannot be written.
Lines model_function(const Subject& subject);

}  // namespace wt::tensorflow
