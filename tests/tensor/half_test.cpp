#include "tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/print_numpy.h"
#include "tensor/tensor.h"

namespace wt {
namespace {

constexpr std::uint16_t sign = 0x8000, infinity16 = 0x7c00, infinity_bf16 = 0x7f80;

// Every finite number of one sign in rising order, with the number of bits of its exponent and fraction by IEEE 754.
template <class Half>
void expect_every_number(std::uint16_t infinity, int fraction_bits, int least_exponent) {
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    const int exponent = bits >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    const double number = exponent == 0 ? std::ldexp(fraction, least_exponent - fraction_bits)
                                        : std::ldexp((1 << fraction_bits) + fraction,
                                                     exponent - 1 + least_exponent - fraction_bits);
    ASSERT_EQ(static_cast<double>(widened(Half{bits})), number) << bits;
    ASSERT_EQ(static_cast<double>(widened(Half{static_cast<std::uint16_t>(bits | sign)})), -number) << bits;
    ASSERT_EQ(rounded<Half>(static_cast<float>(number)).bits, bits);
  }
}

TEST(Half, EveryNumberIsThatOfTheStandardAndComesBack) {
  expect_every_number<Float16>(infinity16, 10, -14);
  expect_every_number<BFloat16>(infinity_bf16, 7, -126);
}

// Between two neighbours the nearer one, and the even one from the middle.
template <class Half>
void expect_nearest(std::uint16_t last) {
  for (std::uint16_t bits = 0; bits < last; ++bits) {
    const float low = widened(Half{bits}), high = widened(Half{static_cast<std::uint16_t>(bits + 1)});
    const float middle = low + (high - low) / 2;
    const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
    ASSERT_EQ(rounded<Half>(middle).bits, even) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, low)).bits, bits) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, high)).bits, bits + 1) << bits;
    ASSERT_EQ(rounded<Half>(-middle).bits, even | sign) << bits;
  }
}

TEST(Half, RoundsToTheNearestAndFromTheMiddleToTheEvenOne) {
  expect_nearest<Float16>(infinity16 - 1);
  expect_nearest<BFloat16>(infinity_bf16 - 1);
}

TEST(Half, WhatIsBeyondTheRangeIsInfiniteAndNothingElseIsNotANumber) {
  EXPECT_EQ(rounded<Float16>(65519.0F).bits, infinity16 - 1);
  EXPECT_EQ(rounded<Float16>(65520.0F).bits, infinity16);
  EXPECT_EQ(rounded<Float16>(-1e30F).bits, infinity16 | sign);
  EXPECT_EQ(rounded<BFloat16>(std::numeric_limits<float>::max()).bits, infinity_bf16);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(widened(rounded<Float16>(infinite)), infinite);
  EXPECT_EQ(widened(rounded<BFloat16>(-infinite)), -infinite);
  EXPECT_TRUE(std::isnan(widened(rounded<Float16>(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(widened(rounded<BFloat16>(std::numeric_limits<float>::quiet_NaN()))));
}

// numpy prints float16 with the fewest digits that give it back.
TEST(Half, IsPrintedWithTheFewestDigits) {
  const Tensor numbers =
      Tensor::of<Float16>({3}, {rounded<Float16>(0.1F), rounded<Float16>(-2.0F), rounded<Float16>(1.0F / 3)});
  EXPECT_EQ(print_numpy(numbers), "[ 0.1    -2.      0.3333]");
}

}  // namespace
}  // namespace wt
