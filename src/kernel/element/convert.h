#pragma once

#include <limits>
#include <type_traits>

#include "base/host_device.h"
#include "tensor/half.h"

namespace wt::element {

template <class T>
inline constexpr T largest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T smallest = std::numeric_limits<T>::min();

template <class T>
inline constexpr bool is_a_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Converts as C++ does and defines what C++ leaves undefined: a float outside an integer's range gives the
// nearest end of that range, and NaN gives 0.
template <class To, class From>
WT_HOST_DEVICE To converted(From value) {
  if constexpr (is_a_half<From>) {
    if constexpr (std::is_same_v<To, From>)
      return value;
    else
      return converted<To>(widened(value));
  } else if constexpr (is_a_half<To>) {
    return rounded<To>(converted<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The end of the range is written as 2^n, which is always exact in From. The largest integer, 2^n - 1,
    // may not be.
    constexpr To half = largest<To> / 2 + 1;
    constexpr auto end = static_cast<From>(half) * 2;
    constexpr auto begin = static_cast<From>(smallest<To>);
    if (value != value) return To{0};
    if (value >= end) return largest<To>;
    return value <= begin ? smallest<To> : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace wt::element
