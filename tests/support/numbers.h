#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "kernel/kernel.h"

namespace wt::test {

// Random numbers in the range of an example operand. Floating-point operands get the type `floating`.
inline Tensor random_tensor(const ExampleOperand& operand, Type floating, std::mt19937_64& random) {
  TensorSpec spec = operand.spec;
  if (is_floating(spec.type)) spec.type = floating;
  Tensor tensor = Tensor::zeros(spec);
  std::uniform_real_distribution<double> draw(operand.low, operand.high);
  const auto fill = [&](auto values, auto convert) {
    for (auto& value : values) value = convert(draw(random));
  };
  const auto floored = [](double value) { return static_cast<std::int64_t>(std::floor(value)); };
  switch (spec.type) {
    case Type::float32:
      fill(tensor.values<float>(), [](double v) { return static_cast<float>(v); });
      break;
    case Type::float64:
      fill(tensor.values<double>(), [](double v) { return v; });
      break;
    case Type::int32:
      fill(tensor.values<std::int32_t>(), [&](double v) { return static_cast<std::int32_t>(floored(v)); });
      break;
    case Type::int64:
      fill(tensor.values<std::int64_t>(), floored);
      break;
    case Type::boolean:
      fill(tensor.values<bool>(), [](double v) { return v >= 0; });
      break;
    case Type::uint8:
      fill(tensor.values<std::uint8_t>(), [&](double v) { return static_cast<std::uint8_t>(floored(v)); });
      break;
    case Type::float16:
      fill(tensor.values<Float16>(), [](double v) { return rounded<Float16>(static_cast<float>(v)); });
      break;
    case Type::bfloat16:
      fill(tensor.values<BFloat16>(), [](double v) { return rounded<BFloat16>(static_cast<float>(v)); });
      break;
  }
  return tensor;
}

inline double value_at(const Tensor& tensor, std::size_t i) {
  switch (tensor.type()) {
    case Type::float32:
      return static_cast<double>(tensor.values<float>()[i]);
    case Type::float64:
      return tensor.values<double>()[i];
    case Type::int32:
      return tensor.values<std::int32_t>()[i];
    case Type::int64:
      return static_cast<double>(tensor.values<std::int64_t>()[i]);
    case Type::boolean:
      return tensor.values<bool>()[i] ? 1 : 0;
    case Type::uint8:
      return tensor.values<std::uint8_t>()[i];
    case Type::float16:
      return static_cast<double>(widened(tensor.values<Float16>()[i]));
    case Type::bfloat16:
      return static_cast<double>(widened(tensor.values<BFloat16>()[i]));
  }
  return 0;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.spec() == b.spec() && std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin());
}

}  // namespace wt::test
