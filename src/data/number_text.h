#pragma once
// Numbers that are written in decimal in a text file.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/type.h"

namespace wt::data {

// A number, or what is wrong with its text: "is not a whole number".
template <class T>
struct Number {
  std::optional<T> value{};
  std::string_view fact{};
};

// Without blanks at both ends.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

namespace number_text {

// Decimal is rounded to T once. std::from_chars reports numbers that are too large and too small alike.
template <class T>
Number<T> floating(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    return {{}, "is not a number"};
  if (error == std::errc::result_out_of_range) {
    const double wide = std::strtod(std::string(text).c_str(), nullptr);
    if (std::abs(wide) < 1) return {std::copysign(T{0}, static_cast<T>(std::signbit(wide) ? -1 : 1)), {}};
    return {{}, "is too large"};
  }
  if (!std::isfinite(value)) return {{}, "is not a finite number"};
  return {value, {}};
}

// Whole numbers may be written as 3.0 or 1e3, as pandas writes those of a column that once had missing
// values.
template <class T>
Number<T> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return {{}, "is too large"};
  if (error != std::errc{} || end != text.data() + text.size()) {
    const Number<double> real = floating<double>(text);
    if (!real.value) return {{}, real.fact};
    constexpr double most = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers
    if (*real.value != std::floor(*real.value)) return {{}, "is not a whole number"};
    if (std::abs(*real.value) > most) return {{}, "is too large"};
    value = static_cast<std::int64_t>(*real.value);
  }
  if (!std::in_range<T>(value)) return {{}, "is out of range"};
  return {static_cast<T>(value), {}};
}

}  // namespace number_text

template <class T>
Number<T> to_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "True" || text == "1") return {true, {}};
    if (text == "false" || text == "False" || text == "0") return {false, {}};
    return {{}, "is neither true nor false"};
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_text::floating<T>(text);
  } else {
    return number_text::whole<T>(text);
  }
}

// Calls `body` with a value of the C++ type that belongs to `type`.
template <class Body>
auto with_type(Type type, Body body) {
  switch (type) {
    case Type::float32:
    case Type::float16:  // no file with text has halves, and no key names them
    case Type::bfloat16:
      break;
    case Type::float64:
      return body(double{});
    case Type::int32:
      return body(std::int32_t{});
    case Type::int64:
      return body(std::int64_t{});
    case Type::boolean:
      return body(bool{});
    case Type::uint8:
      return body(std::uint8_t{});
  }
  return body(float{});
}

}  // namespace wt::data
