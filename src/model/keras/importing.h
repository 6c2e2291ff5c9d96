#pragma once
// keras/: Keras' JSON, from the outside in: envelope (../keras_json.cpp), layers one by one, models of
// layers, the calls of a functional model. The three eras differ in small things that can stand side by side,
// so every form is accepted everywhere and nobody asks for the version.

#include <map>

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model::keras {

// What is known while a file is read: everything wrong so far, and where each layer stands.
struct Importing {
  Problems problems{};
  std::map<const Layer*, Place> places{};
};

// {"class_name", "config", "name", "inbound_nodes", ...}. Null after a problem.
LayerPtr read_layer(const json::Value& entry, Importing& importing);

bool is_model(std::string_view class_name);  // Sequential, Functional, Model
LayerPtr read_model(std::string_view class_name, const json::Value& config, Importing& importing);
LayerPtr read_functional(const json::Value& config, Importing& importing);

// Adds what went wrong to the problems, at this place where it has none of its own.
void add_problems(const InputError& error, const Place& place, Importing& importing);

}  // namespace wt::model::keras
