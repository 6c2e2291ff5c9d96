// Claim: a shape with more elements than any memory holds is an error of the input, and no number overflows.

#include "tensor/shape.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wt {
namespace {

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape({2, 3, 4}).elements(), 24);
  EXPECT_EQ(Shape({2, 3, 4}).elements(1, 3), 12);
  EXPECT_EQ(Shape({}).elements(), 1);
  EXPECT_EQ(Shape({1 << 24, 1 << 24}).elements(), Shape::most_elements);
}

TEST(Shape, RefusesMoreElementsThanAnyMemoryHolds) {
  EXPECT_THROW(Shape({1 << 24, 1 << 24, 2}).elements(), InputError);
  EXPECT_THROW(Shape({INT64_MAX, INT64_MAX, 4}).elements(), InputError);
  EXPECT_EQ(Shape({INT64_MAX, INT64_MAX, 0}).elements(), 0);
}

}  // namespace
}  // namespace wt
