#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace wt {

// A value that is stored on the heap, and nowhere at all while it is T's default. A struct with a rarely
// used, large member stays small this way: most nodes of a plan have no attributes, and a Boxed<Attributes>
// costs them 16 bytes. The value never changes, so copies of a Boxed share it.
template <class T>
class Boxed {
 public:
  Boxed() = default;  // holds T's default
  template <std::convertible_to<T> Value>
  requires(!std::same_as<std::remove_cvref_t<Value>, Boxed>)  // that is a copy
      Boxed(Value&& value)                                    // NOLINT: converts implicitly
      : value_(std::make_shared<const T>(std::forward<Value>(value))) {}
  operator const T&() const { return **this; }  // NOLINT
  const T& operator*() const {
    static const T none{};
    return value_ ? *value_ : none;
  }

 private:
  std::shared_ptr<const T> value_{};
};

}  // namespace wt
