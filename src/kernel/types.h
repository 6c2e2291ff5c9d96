#pragma once

#include "base/error.h"
#include "tensor/type.h"

namespace wt {

// From a type at run time to one at compile time: f is called with a value of the element type, as in
//   with_floating(spec.type, [&](auto zero) { apply<decltype(zero)>(numbers); });
// Requires: a type that is listed; `outputs` has refused the others.
template <class F>
void with_floating(Type type, F&& f) {
  WT_EXPECT(is_floating(type), "{} is not floating", name(type));
  return type == Type::float32 ? f(float{}) : f(double{});
}

template <class F>
void with_number(Type type, F&& f) {
  switch (type) {
    case Type::int32:
      return f(std::int32_t{});
    case Type::int64:
      return f(std::int64_t{});
    default:
      return with_floating(type, f);
  }
}

template <class F>
void with_type(Type type, F&& f) {
  switch (type) {
    case Type::boolean:
      return f(bool{});
    case Type::uint8:
      return f(std::uint8_t{});
    default:
      return with_number(type, f);
  }
}

// Labels and ids.
template <class F>
void with_index(Type type, F&& f) {
  WT_EXPECT(type == Type::int32 || type == Type::int64, "{} is no index", name(type));
  return type == Type::int32 ? f(std::int32_t{}) : f(std::int64_t{});
}

}  // namespace wt
