#pragma once
// Conversion of a count to a narrower type. Counts that a user gives have a largest value, which stands beside
// their key and in the JSON Schema. A count that is too large here has passed a check that is missing.

#include <concepts>
#include <utility>

#include "base/error.h"

namespace wt {

// Throws InternalError if the value doesn't fit.
template <std::integral To, std::integral From>
constexpr To narrow(From value) {
  WT_EXPECT(std::in_range<To>(value), "{} is too large or too small for {} bytes", value, sizeof(To));
  return static_cast<To>(value);
}

}  // namespace wt
