#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/half.h"

namespace wt {

// The element types of tensors. float64 exists for tests: it is precise enough to compare gradients with
// central differences. float16 and bfloat16 are what layers compute in under Keras' mixed precision.
enum class Type : std::uint8_t { float32, float64, int32, int64, boolean, uint8, float16, bfloat16 };

std::string_view name(Type type);                       // "float32"
std::optional<Type> type_named(std::string_view name);  // the inverse of name
std::int64_t bytes_per_element(Type type);
bool is_floating(Type type);
bool is_half(Type type);    // float16 and bfloat16
Type wide_type(Type type);  // float32 in place of halves

// The element type that belongs to a C++ type, for templates: type_of<float> is Type::float32.
template <class T>
inline constexpr Type type_of = Type::float32;
template <>
inline constexpr Type type_of<double> = Type::float64;
template <>
inline constexpr Type type_of<std::int32_t> = Type::int32;
template <>
inline constexpr Type type_of<std::int64_t> = Type::int64;
template <>
inline constexpr Type type_of<bool> = Type::boolean;
template <>
inline constexpr Type type_of<std::uint8_t> = Type::uint8;
template <>
inline constexpr Type type_of<Float16> = Type::float16;
template <>
inline constexpr Type type_of<BFloat16> = Type::bfloat16;

}  // namespace wt
