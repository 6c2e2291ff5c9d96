#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wt {

// The element types of tensors. float64 exists for tests: it is precise enough to compare gradients with
// central differences.
enum class Type : std::uint8_t { float32, float64, int32, int64, boolean, uint8 };

std::string_view name(Type type);                       // "float32"
std::optional<Type> type_named(std::string_view name);  // the inverse of name
std::int64_t bytes_per_element(Type type);
bool is_floating(Type type);

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

}  // namespace wt
