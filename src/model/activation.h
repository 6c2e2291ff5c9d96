#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/json.h"
#include "model/semantics.h"
#include "program/operations.h"

namespace wt::model {

// Arguments of Keras' activation functions. A function reads those that it has; where a default depends on the function, it
// is unset.
struct ActivationOptions {
  double alpha = 1;                        // elu, celu
  std::optional<double> negative_slope{};  // relu 0, leaky_relu 0.2
  std::optional<double> max_value{};       // relu
  std::optional<double> threshold{};       // relu 0, the shrinking ones 0.5; required by threshold
  double default_value = 0;                // threshold
  double b = 4;                            // squareplus
  bool approximate = false;                // gelu
  int axis = -1;                           // softmax and its kind, glu
};

struct ActivationCall {
  Symbol x{};
  const ActivationOptions& options;
  Semantics semantics = default_semantics;
};

class Arguments;  // model/arguments.h

// A function that a layer applies to its output, such as Keras' `activation="relu"`.
struct Activation {
  std::string_view name{};
  std::string_view summary{};
  Symbol (*apply)(const ActivationCall& call) = nullptr;
  void (*arguments)(ActivationOptions& options, Arguments& arguments) = nullptr;  // null: none
};

std::span<const Activation> activations();
const Activation* find_activation(std::string_view name);  // null if the name is unknown

// Reads the arguments of a function as Keras names them, such as {"alpha": 0.4}.
ActivationOptions read_activation_options(const Activation& activation, const json::Value& config,
                                          Problems& problems);

// Applies the named activation to x. Throws InputError for an unknown name. A softmax or a sigmoid is a
// single node and the last one, so that a loss that follows can find the logits, which are the node's input
// (model/loss.h).
Symbol activate(Symbol x, std::string_view activation, Semantics semantics = default_semantics,
                const ActivationOptions& options = {});

}  // namespace wt::model
