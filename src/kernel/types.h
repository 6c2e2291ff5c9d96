#pragma once

#include "base/error.h"
#include "tensor/type.h"

namespace wt {

// These functions turn a type that is known at run time into one that is known at compile time. They call f
// with a zero of the element type:
//   with_floating(spec.type, [&](auto zero) { apply<decltype(zero)>(numbers); });
// Requires: the type is among those of the function. A kernel's `outputs` has rejected all others before.

// float32 and float64.
template <class F>
void with_floating(Type type, F&& f) {
  WT_EXPECT(type == Type::float32 || type == Type::float64, "{} is not a floating type of kernels",
            name(type));
  return type == Type::float32 ? f(float{}) : f(double{});
}

// The floating types, int32 and int64.
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

// Every type.
template <class F>
void with_type(Type type, F&& f) {
  switch (type) {
    case Type::boolean:
      return f(bool{});
    case Type::uint8:
      return f(std::uint8_t{});
    case Type::float16:
      return f(Float16{});
    case Type::bfloat16:
      return f(BFloat16{});
    default:
      return with_number(type, f);
  }
}

// int32 and int64, the types of labels and ids.
template <class F>
void with_index(Type type, F&& f) {
  WT_EXPECT(type == Type::int32 || type == Type::int64, "{} is not an index type", name(type));
  return type == Type::int32 ? f(std::int32_t{}) : f(std::int64_t{});
}

}  // namespace wt
