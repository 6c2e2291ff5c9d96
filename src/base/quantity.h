#pragma once
// Quantities with units as types, so that variable names need no units and the compiler finds confused
// dimensions.
//
//   const Bytes gradients = 400_MB;
//   const BytesPerSecond link = 100_Gbps;     // bits per second; 100_GBps is eight times as much
//   const Seconds time = gradients / link;    // 32 ms
//   const Bytes wrong = gradients + link;     // doesn't compile
//
// Bytes are exact 64-bit integers, and overflow is an InternalError. The other quantities are doubles. These
// operations exist: sum and difference of two quantities of one kind, their ratio (a double), product and
// quotient with a number, Bytes / BytesPerSecond and Flops / FlopsPerSecond (both Seconds). Input files
// contain quantities as text with a unit, "100 Gb/s"; try_parse reads it and print writes it.

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

// The numbers by which a quantity can be multiplied or divided. Bytes accept integers only, so that no
// fraction of a byte is lost silently.
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
  // Bytes divided by an integer are rounded towards zero.
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
using Flops = Quantity<struct FlopsKind, double>;  // a number of operations, not a rate
using BytesPerSecond = Quantity<struct BytesPerSecondKind, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondKind, double>;

constexpr Seconds operator/(Bytes amount, BytesPerSecond rate) {
  return Seconds(static_cast<double>(amount.count()) / rate.count());
}
constexpr Seconds operator/(Flops amount, FlopsPerSecond rate) {
  return Seconds(amount.count() / rate.count());
}

// The shortest form that `parse` reads back to exactly the same value: "16 GiB", "12.5 us", "25 GB/s".
// base/rough.h prints rounded values for messages.
std::string print(Bytes quantity);
std::string print(Seconds quantity);
std::string print(Flops quantity);
std::string print(BytesPerSecond quantity);
std::string print(FlopsPerSecond quantity);

// The result of try_parse: either a value, or the fact and the remedy of a Problem.
template <class Kind>
struct Parsed {
  std::optional<Kind> value{};
  std::string fact{};
  std::string remedy{};
};

// Parses "16 GiB", "25 GB/s", "100 Gb/s", "2 us" or "312 TFLOP/s". The space is optional, the unit is
// required. Kind is one of the five quantities above.
template <class Kind>
Parsed<Kind> try_parse(std::string_view text);

// The same as try_parse, but throws InputError at `place` if the text is wrong.
template <class Kind>
Kind parse(std::string_view text, const Place& place = {}) {
  Parsed<Kind> parsed = try_parse<Kind>(text);
  if (!parsed.value) throw InputError(Problem{place, parsed.fact, parsed.remedy});
  return *parsed.value;
}

// The remedy for a number without a unit: `bytes are written with a unit, as in "16 GiB"; known: B, KB, ...`.
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
