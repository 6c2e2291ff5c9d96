#pragma once

#include <span>

#include "model/layer.h"

namespace wt::model {

// Operations that Keras writes into a model's JSON as if they were layers: what Python's operators, slices and functions
// of tf or keras.ops stand for between two layers. Keras 3 names a class ("Multiply"), Keras 2 a function of TensorFlow
// ("math.multiply").
struct OperationConfig {
  std::string name{};
  std::string class_name{};
  Keywords keywords{};  // arguments in the configuration; those of a call stand beside them
};

// One call: the tensors, the numbers among them made tensors, and the other arguments.
struct OperationCall {
  std::vector<Symbol> x{};
  Keywords keywords{};
  std::span<const Slice> slices{};
  std::span<const std::pair<std::size_t, double>> constants{};  // which of x are numbers
};

struct OperationClass {
  std::string_view class_name{};
  std::string_view functions{};  // of Keras 2, separated by spaces
  std::size_t arguments = 2;     // 0: any number
  Symbol (*apply)(const OperationCall& call) = nullptr;
};
// Whether an argument such as "axis" may have the value: a whole number that an extent can be.
bool is_axis_or_extent(double number);

std::span<const OperationClass> operation_classes();                    // sorted by name
const OperationClass* find_operation(std::string_view class_name);      // null if it is unknown
const OperationClass* find_operation_of_tf(std::string_view function);  // likewise
LayerPtr operation(OperationConfig config);  // Requires: the class is one of operation_classes()

}  // namespace wt::model
