#pragma once
// Quantities are types, so that names need no units and bits never pass for bytes: 25_Gbps and 25_GBps are
// different literals of the same type. Bytes are exact integers; the others are doubles. Bytes /
// BytesPerSecond and Flops / FlopsPerSecond are Seconds; the ratio of two quantities of one kind is a double;
// a quantity times or over a number keeps its kind. Nothing else compiles.

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace wt {

// What may scale a quantity: exact ones take integers only, so that no byte is lost to rounding unseen.
template <class Scale, class Number>
concept scales = std::is_arithmetic_v<Scale> && !std::same_as<Scale, bool> &&
                 (std::integral<Scale> || std::floating_point<Number>);

template <class Kind, class Number>
class Quantity {
 public:
  constexpr Quantity() = default;
  template <scales<Number> From>
  constexpr explicit Quantity(From count) : count_(static_cast<Number>(count)) {}

  constexpr Number count() const { return count_; }

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;

  friend constexpr Quantity operator+(Quantity left, Quantity right) {
    if constexpr (std::integral<Number>) {
      Number sum{};
      WT_EXPECT(!__builtin_add_overflow(left.count_, right.count_, &sum), "{} + {}", left.count_,
                right.count_);
      return Quantity(sum);
    } else {
      return Quantity(left.count_ + right.count_);
    }
  }
  friend constexpr Quantity operator-(Quantity left, Quantity right) {
    if constexpr (std::integral<Number>) {
      Number difference{};
      WT_EXPECT(!__builtin_sub_overflow(left.count_, right.count_, &difference), "{} - {}", left.count_,
                right.count_);
      return Quantity(difference);
    } else {
      return Quantity(left.count_ - right.count_);
    }
  }
  template <scales<Number> Scale>
  friend constexpr Quantity operator*(Quantity quantity, Scale scale) {
    if constexpr (std::integral<Number>) {
      Number product{};
      WT_EXPECT(!__builtin_mul_overflow(quantity.count_, scale, &product), "{} * {}", quantity.count_, scale);
      return Quantity(product);
    } else {
      return Quantity(quantity.count_ * static_cast<Number>(scale));
    }
  }
  template <scales<Number> Scale>
  friend constexpr Quantity operator*(Scale scale, Quantity quantity) {
    return quantity * scale;
  }
  // Bytes over an integer round towards zero.
  template <scales<Number> Scale>
  friend constexpr Quantity operator/(Quantity quantity, Scale scale) {
    if constexpr (std::integral<Number>) WT_EXPECT(scale != 0, "{} / {}", quantity.count_, scale);
    return Quantity(quantity.count_ / static_cast<Number>(scale));
  }
  friend constexpr double operator/(Quantity left, Quantity right) {
    return static_cast<double>(left.count_) / static_cast<double>(right.count_);
  }
  constexpr Quantity operator-() const { return Quantity{} - *this; }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
  template <scales<Number> Scale>
  constexpr Quantity& operator*=(Scale scale) {
    return *this = *this * scale;
  }

 private:
  Number count_{};
};

using Bytes = Quantity<struct BytesKind, std::int64_t>;
using Seconds = Quantity<struct SecondsKind, double>;
using Flops = Quantity<struct FlopsKind, double>;  // a count of operations, no rate
using BytesPerSecond = Quantity<struct BytesPerSecondKind, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondKind, double>;

constexpr Seconds operator/(Bytes amount, BytesPerSecond rate) {
  return Seconds(static_cast<double>(amount.count()) / rate.count());
}
constexpr Seconds operator/(Flops amount, FlopsPerSecond rate) {
  return Seconds(amount.count() / rate.count());
}

// The shortest form that `parse` reads back to the same value: "16 GiB", "12.5 us", "25 GB/s".
std::string print(Bytes quantity);
std::string print(Seconds quantity);
std::string print(Flops quantity);
std::string print(BytesPerSecond quantity);
std::string print(FlopsPerSecond quantity);

// Either a value or what is wrong with the text.
template <class Kind>
struct Parsed {
  std::optional<Kind> value{};
  std::string fact{};
  std::string remedy{};
};

// "16 GiB", "25 GB/s", "100 Gb/s", "2 us", "312 TFLOP/s"; the space may be left out. Kind is one of the five
// above.
template <class Kind>
Parsed<Kind> try_parse(std::string_view text);

// The same, with an InputError at `place`.
template <class Kind>
Kind parse(std::string_view text, const Place& place = {}) {
  Parsed<Kind> parsed = try_parse<Kind>(text);
  if (!parsed.value) throw InputError(Problem{place, parsed.fact, parsed.remedy});
  return *parsed.value;
}

// What a bare number should have looked like: `bytes need a unit, as in "16 GiB"; known: B, KB, ...`.
template <class Kind>
std::string unit_remedy();

// For test failures and logs.
template <class Kind, class Number>
std::ostream& operator<<(std::ostream& out, Quantity<Kind, Number> quantity);

}  // namespace wt

template <class Kind, class Number>
struct fmt::formatter<wt::Quantity<Kind, Number>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(wt::Quantity<Kind, Number> quantity, Context& context) const {
    return fmt::formatter<std::string_view>::format(wt::print(quantity), context);
  }
};
