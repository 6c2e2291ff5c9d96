#pragma once

#include <string_view>
#include <vector>

#include "kernel/kernel.h"

namespace wt::counted {

// The cost of a call, counted by hand. The numbers are literals and never the formula under test.
struct Row {
  std::string_view kernel{};
  std::vector<TensorSpec> inputs{};
  Attributes attributes{};
  double flops{};
  std::int64_t bytes{};
};
using Rows = std::vector<Row>;

inline TensorSpec f32(const Shape& shape) { return {Type::float32, shape}; }
inline TensorSpec f64(const Shape& shape) { return {Type::float64, shape}; }
inline TensorSpec i32(const Shape& shape) { return {Type::int32, shape}; }
inline TensorSpec i64(const Shape& shape) { return {Type::int64, shape}; }
inline TensorSpec boolean(const Shape& shape) { return {Type::boolean, shape}; }

}  // namespace wt::counted
