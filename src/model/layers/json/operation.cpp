#include "model/layers/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

// Arguments that Keras 3 writes into the configuration of an operation. Those of a Power or an Add are in the call.
constexpr std::string_view keywords[] = {"axis", "axes", "keepdims", "newshape"};

OperationConfig read_config(LayerReader& r, std::string_view class_name) {
  OperationConfig config{.name = r.name(), .class_name = std::string(class_name)};
  for (const std::string_view key : keywords) {
    const json::Value* value = r.given(key);
    if (value == nullptr) continue;
    if (value->kind() == json::Kind::boolean)
      config.keywords[std::string(key)] = {value->boolean() ? 1.0 : 0.0};
    else
      config.keywords[std::string(key)] = r.numbers(key, {});
    for (const double number : config.keywords[std::string(key)])
      if (!is_axis_or_extent(number)) r.problem(key, "this is no axis and no extent", "write a whole number");
  }
  return config;
}

LayerPtr read_operation(LayerReader& r) {
  r.value("dtype");
  return operation(read_config(r, r.class_name()));
}

// Keras 2 names the function of TensorFlow.
LayerPtr read_function(LayerReader& r) {
  const auto function = r.required<std::string>("function");
  const OperationClass* row = find_operation_of_tf(function);
  if (row == nullptr) {
    r.problem("function", fmt::format("the function \"tf.{}\" is not offered", printable(function)),
              "replace it by layers of Keras that compute the same");
    return nullptr;
  }
  return operation({.name = r.name(), .class_name = std::string(row->class_name)});
}

}  // namespace

std::span<const LayerClass> operation_rows() {
  static const std::vector<LayerClass> all = [] {
    std::vector<LayerClass> made;
    for (const OperationClass& row : operation_classes())
      made.push_back({row.class_name, "an operation between layers", read_operation});
    for (const std::string_view name : {"SlicingOpLambda", "TFOpLambda"})
      made.push_back({name, "an operation of Keras 2 between layers", read_function});
    std::ranges::sort(made, {}, &LayerClass::class_name);
    return made;
  }();
  return all;
}

}  // namespace wt::model
