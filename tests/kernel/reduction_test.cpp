#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/apply.h"

namespace wt {
namespace {

TEST(Reduction, SmallOnesByHand) {
  const Tensor x = floats({2, 3}, {1, 5, 3, 4, 2, 9});
  EXPECT_EQ(numbers<float>(apply("reduce_sum", {x}, AxesAttributes{{0}})[0]), (std::vector<float>{5, 7, 12}));
  EXPECT_EQ(numbers<float>(apply("reduce_mean", {x}, AxesAttributes{{1}})[0]), (std::vector<float>{3, 5}));
  EXPECT_EQ(numbers<float>(apply("reduce_max", {x}, AxesAttributes{{0, 1}})[0]), (std::vector<float>{9}));
  EXPECT_EQ(numbers<float>(apply("reduce_sum", {x}, AxesAttributes{})[0]), numbers<float>(x));
  EXPECT_EQ(apply("reduce_sum", {x}, AxesAttributes{{0}, true})[0].shape(), (Shape{1, 3}));
  EXPECT_EQ(numbers<std::int64_t>(apply("argmax", {x})[0]), (std::vector<std::int64_t>{1, 2}));
}

// Takes every choice of axes. The shapes are cut in every possible way: with many results or few, in bands
// and in pieces. The numbers are small integers, so sums are exact in any order.
TEST(Reduction, CutsLeaveNothingOutAndCountNothingTwice) {
  for (const Shape& shape :
       {Shape{3, 4, 5, 2}, {2, 300, 7, 60}, {1500, 1, 3, 40}, {200000, 1, 1, 2}, {1, 2, 3, 70000}})
    for (unsigned chosen = 0; chosen < 16; ++chosen) {
      Shape axes;
      for (int axis = 0; axis < 4; ++axis)
        if (chosen >> axis & 1) axes.append(axis);
      std::vector<std::int32_t> x(static_cast<std::size_t>(shape.elements()));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i * 7919 % 23) - 11;
      const Tensor tensor = Tensor::of(shape, std::vector<float>(x.begin(), x.end()));
      const Tensor sum = apply("reduce_sum", {tensor}, AxesAttributes{axes, true})[0];
      const Tensor largest = apply("reduce_max", {tensor}, AxesAttributes{axes, true})[0];

      std::vector<float> sums(static_cast<std::size_t>(sum.spec().elements()), 0);
      std::vector<float> maxima(sums.size(), -100);
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::int64_t rest = static_cast<std::int64_t>(i), result = 0, stride = 1;
        for (int axis = 3; axis >= 0; rest /= shape[axis--]) {
          if (chosen >> axis & 1) continue;
          result += rest % shape[axis] * stride;
          stride *= shape[axis];
        }
        float& total = sums[static_cast<std::size_t>(result)];
        total += static_cast<float>(x[i]);
        float& most = maxima[static_cast<std::size_t>(result)];
        most = std::max(most, static_cast<float>(x[i]));
      }
      ASSERT_TRUE(numbers<float>(sum) == sums) << print(shape) << " over " << print(axes);
      ASSERT_TRUE(numbers<float>(largest) == maxima) << print(shape) << " over " << print(axes);
    }
}

// Adding 0.1 ten million times in float32, one after the other, would give 1087937.
TEST(Reduction, SumsAreRightToTheLastBit) {
  const Tensor x = floats({10, 1000000}, std::vector<float>(10000000, 0.1f));
  EXPECT_EQ(numbers<float>(apply("reduce_sum", {x}, AxesAttributes{{0, 1}})[0])[0], 1e7f * 0.1f);
  EXPECT_EQ(numbers<float>(apply("reduce_mean", {x}, AxesAttributes{{0, 1}})[0])[0], 0.1f);
}

TEST(Reduction, OfNothingIsTheNeutralElement) {
  const Tensor nothing = Tensor::zeros({Type::float32, {2, 0}});
  EXPECT_EQ(numbers<float>(apply("reduce_sum", {nothing}, AxesAttributes{{1}})[0]),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(numbers<float>(apply("reduce_max", {nothing}, AxesAttributes{{1}})[0])[0],
            -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(numbers<float>(apply("reduce_mean", {nothing}, AxesAttributes{{1}})[0])[0]));
  EXPECT_EQ(apply("reduce_sum", {nothing}, AxesAttributes{{0}})[0].shape(), (Shape{0}));
}

TEST(Reduction, NaNMakesAMaximumNaNAndIsNoArgmax) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(100, 1);
  for (const std::size_t place : {0, 31, 64, 99}) {
    values.assign(100, 1);
    values[place] = nan;
    EXPECT_TRUE(
        std::isnan(numbers<float>(apply("reduce_max", {floats({100}, values)}, AxesAttributes{{0}})[0])[0]));
    EXPECT_TRUE(std::isnan(
        numbers<float>(apply("reduce_max", {floats({100, 1}, values)}, AxesAttributes{{0}})[0])[0]));
  }
  EXPECT_EQ(numbers<std::int64_t>(apply("argmax", {floats({4}, {1, nan, 3, 2})})[0])[0], 2);
}

TEST(Reduction, ArgmaxIsTheFirstOfEquals) {
  EXPECT_EQ(numbers<std::int64_t>(apply("argmax", {floats({2, 4}, {1, 3, 3, 2, 0, 0, 0, 0})})[0]),
            (std::vector<std::int64_t>{1, 0}));
}

TEST(Reduction, IntegersAreSummedAsIntegers) {
  const Tensor x = Tensor::of(Shape{3}, std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1, 1, 1});
  EXPECT_EQ(numbers<std::int64_t>(apply("reduce_sum", {x}, AxesAttributes{{0}})[0])[0],
            (std::int64_t{1} << 53) + 3);
}

TEST(Reduction, RefusesWhatDoesNotFit) {
  const TensorSpec x{Type::float32, {2, 3}};
  EXPECT_EQ(refusal("reduce_sum", {x}, AxesAttributes{{2}}),
            "[reduce_sum] axes is [2] and x is float32[2,3]; axes must be axes of x, ascending, each once");
  EXPECT_EQ(refusal("reduce_max", {x}, AxesAttributes{{1, 0}}),
            "[reduce_max] axes is [1,0] and x is float32[2,3]; axes must be axes of x, ascending, each once");
  EXPECT_EQ(refusal("reduce_mean", {{Type::int32, {2}}}, AxesAttributes{{0}}),
            "[reduce_mean] x must be float32, float64, float16 or bfloat16: it is int32[2]");
  EXPECT_EQ(refusal("reduce_sum", {x, x}, AxesAttributes{{0}}),
            "[reduce_sum] 1 operand is expected, 2 given");
  EXPECT_EQ(refusal("argmax", {{Type::float32, {2, 0}}}), "[argmax] x has no columns: it is float32[2,0]");
  EXPECT_EQ(refusal("argmax", {{Type::float32, {}}}), "[argmax] x has rank 0, less than 1: it is float32[]");
}

}  // namespace
}  // namespace wt
