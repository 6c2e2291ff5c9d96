#pragma once
// Objects of Keras, as Keras writes them into JSON, become calls of their constructors:
//
//   {"class_name": "Adam", "config": {"learning_rate": 0.01}}  ->  tf.keras.optimizers.Adam(learning_rate=0.01)
//
// Objects inside of them follow: a learning rate that is a schedule, the initializer of a layer, a wrapped layer. What
// depends on the version of Keras is in one table of arguments.

#include <string_view>

#include "base/json.h"
#include "model/semantics.h"
#include "tensorflow/python.h"

namespace wt::tensorflow {

// `module` is where the class is: "tf.keras.optimizers".
Expression object(std::string_view module, const json::Value& written, model::Semantics semantics);

// Adds the arguments of `config` to the call of a class. Arguments that are null have their defaults.
void add_arguments(Expression& call, std::string_view class_name, const json::Value& config,
                   model::Semantics semantics);

}  // namespace wt::tensorflow
