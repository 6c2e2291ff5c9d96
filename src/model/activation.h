#pragma once

#include <span>
#include <string_view>

#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

// A function that a layer applies to its output, such as Keras' `activation="relu"`.
struct Activation {
  std::string_view name{};
  std::string_view summary{};
  Symbol (*apply)(Symbol x) = nullptr;
  // Set for hard_sigmoid, which Keras 2 computes in another way (Switch::hard_sigmoid_has_slope_a_fifth).
  Symbol (*apply_in_keras2)(Symbol x) = nullptr;
};

std::span<const Activation> activations();
const Activation* find_activation(std::string_view name);  // null if the name is unknown

// Applies the named activation to x. Throws InputError for an unknown name. A softmax or a sigmoid is a
// single node and the last one, so that a loss that follows can find the logits, which are the node's input
// (model/loss.h).
Symbol activate(Symbol x, std::string_view activation, Semantics semantics = Semantics::keras2);

}  // namespace wt::model
