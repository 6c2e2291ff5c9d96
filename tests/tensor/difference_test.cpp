// Claim: the difference of two tensors is relative to the reference. It is infinite for NaN and infinity, so
// that no limit accepts them.

#include "tensor/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wt {
namespace {

Tensor floats(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of<float>({count}, std::move(values));
}

TEST(Difference, IsTheLargestOverTheLargestOfTheReference) {
  EXPECT_EQ(relative_difference(floats({1, 2, -4}), floats({1, 2, -4})), 0);
  EXPECT_EQ(relative_difference(floats({1, 3, -4}), floats({1, 2, -4})), 0.25);
  EXPECT_EQ(relative_difference(3.0, 4.0), 0.25);
  EXPECT_EQ(relative_difference(0.0, 0.0), 0);
}

TEST(Difference, IsInfiniteForNaNAndInfinity) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, -nan, infinity, -infinity}) {
    // A wrong number must be found at any position.
    for (const std::size_t at : {0U, 1U, 2U}) {
      std::vector<float> values{1, 2, 3};
      values[at] = bad;
      EXPECT_TRUE(std::isinf(relative_difference(floats(values), floats({1, 2, 3})))) << at;
      EXPECT_TRUE(std::isinf(relative_difference(floats({1, 2, 3}), floats(values)))) << at;
    }
    EXPECT_TRUE(std::isinf(relative_difference(static_cast<double>(bad), 1)));
    EXPECT_TRUE(std::isinf(relative_difference(1, static_cast<double>(bad))));
  }
  EXPECT_TRUE(std::isinf(relative_difference(floats({1}), floats({0}))));
}

}  // namespace
}  // namespace wt
