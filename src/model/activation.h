#pragma once

#include <span>
#include <string_view>

#include "program/operations.h"

namespace wt::model {

// A function that a layer applies to its output, such as Keras' `activation="relu"`.
struct Activation {
  std::string_view name{};
  std::string_view summary{};
  Symbol (*apply)(Symbol x) = nullptr;
};

std::span<const Activation> activations();
const Activation* find_activation(std::string_view name);  // null if the name is unknown

// Applies the named activation to x. Throws InputError for an unknown name. A softmax or a sigmoid is a
// single node and the last one, so that a loss that follows can find the logits, which are the node's input
// (model/loss.h).
Symbol activate(Symbol x, std::string_view activation);

}  // namespace wt::model
