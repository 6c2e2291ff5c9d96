#pragma once

#include <span>

#include "model/layer.h"

namespace wt::model {

// Operations that Keras 3 writes into a model's JSON as if they were layers: those of masks, of which a model with a
// Masking or an Embedding consists, and those that Python's operators stand for.
struct OperationConfig {
  std::string name{};
  std::string class_name{};
  std::vector<int> axes{};  // of Any; empty: all
  bool keepdims = false;
};
struct OperationClass {
  std::string_view class_name{};
  std::string_view summary{};
  std::size_t arguments = 2;
  Symbol (*apply)(const std::vector<Symbol>& arguments, const OperationConfig& config) = nullptr;
};
std::span<const OperationClass> operation_classes();
LayerPtr operation(OperationConfig config);  // Requires: the class is one of operation_classes()

}  // namespace wt::model
