#include <gtest/gtest.h>

#include <cmath>

#include "kernel/apply.h"

namespace wt {
namespace {

using Floats = std::vector<float>;

WindowAttributes window(const Shape& size, const Shape& strides, Padding padding) {
  WindowAttributes attributes;
  attributes.size = size;
  attributes.strides = strides;
  attributes.padding = padding;
  return attributes;
}

const Tensor counting = floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});

TEST(Pooling, TakesTheLargestOfEachWindow) {
  EXPECT_EQ(numbers<float>(apply("max_pool", {counting}, window({2, 2}, {1, 1}, Padding::valid))[0]),
            (Floats{5, 6, 8, 9}));
  EXPECT_EQ(numbers<float>(apply("max_pool", {counting}, window({2, 2}, {2, 2}, Padding::same))[0]),
            (Floats{5, 6, 8, 9}));
  const Tensor negative = floats({1, 1, 1, 2}, {-3, -4});
  EXPECT_EQ(numbers<float>(apply("max_pool", {negative}, window({3, 3}, {1, 1}, Padding::same))[0]),
            (Floats{-3, -4}));
}

TEST(Pooling, PassesNanOn) {
  for (std::size_t place = 0; place < 4; ++place) {
    Floats values{1, 2, 3, 4};
    values[place] = NAN;
    const Tensor y =
        apply("max_pool", {floats({1, 2, 2, 1}, values)}, window({2, 2}, {2, 2}, Padding::valid))[0];
    EXPECT_TRUE(std::isnan(y.values<float>()[0])) << place;
  }
}

TEST(Pooling, GivesTheGradientToTheFirstOfEquals) {
  const Tensor x = floats({1, 2, 2, 1}, {1, 7, 7, 7}), y = floats({1, 1, 1, 1}, {7}),
               dy = floats({1, 1, 1, 1}, {5});
  const Tensor dx = apply("max_pool_gradient", {x, y, dy}, window({2, 2}, {2, 2}, Padding::valid))[0];
  EXPECT_EQ(numbers<float>(dx), (Floats{0, 5, 0, 0}));
}

TEST(Pooling, AddsGradientsWhereWindowsOverlap) {
  const Tensor x = floats({1, 1, 3, 1}, {1, 9, 2}), y = floats({1, 1, 2, 1}, {9, 9}),
               dy = floats({1, 1, 2, 1}, {3, 4});
  const Tensor dx = apply("max_pool_gradient", {x, y, dy}, window({1, 2}, {1, 1}, Padding::valid))[0];
  EXPECT_EQ(numbers<float>(dx), (Floats{0, 7, 0}));
}

// Windows of 2 x 2 on an image of 3 x 3 leave the last row and column out, or reach beyond them.
TEST(Pooling, GivesNothingToPixelsInNoWindow) {
  const Tensor x = floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto gradient = [&](const Tensor& y, Padding padding) {
    return numbers<float>(apply("max_pool_gradient", {x, y, y}, window({2, 2}, {2, 2}, padding))[0]);
  };
  EXPECT_EQ(gradient(floats({1, 1, 1, 1}, {5}), Padding::valid), (Floats{0, 0, 0, 0, 5, 0, 0, 0, 0}));
  EXPECT_EQ(gradient(floats({1, 2, 2, 1}, {5, 6, 8, 9}), Padding::same), (Floats{0, 0, 0, 0, 5, 6, 0, 8, 9}));
}

// There are more channels than a vector of the loop has lanes, and not a multiple of it. Neighbouring
// channels have their maxima at different pixels.
TEST(Pooling, TreatsEveryChannelOnItsOwn) {
  constexpr int channels = 150;
  Floats x(4 * channels), y(channels, 1.0f), dy(channels), expected(4 * channels);
  for (int c = 0; c < channels; ++c) {
    const auto place = static_cast<std::size_t>(c % 4 * channels + c);
    x[place] = 1;
    dy[static_cast<std::size_t>(c)] = expected[place] = static_cast<float>(c);
  }
  const WindowAttributes attributes = window({2, 2}, {2, 2}, Padding::valid);
  EXPECT_EQ(numbers<float>(apply("max_pool", {floats({1, 2, 2, channels}, x)}, attributes)[0]), y);
  const std::vector<Tensor> operands{floats({1, 2, 2, channels}, x), floats({1, 1, 1, channels}, y),
                                     floats({1, 1, 1, channels}, dy)};
  EXPECT_EQ(numbers<float>(apply("max_pool_gradient", operands, attributes)[0]), expected);
}

TEST(Pooling, LeavesPaddingOutOfTheMean) {
  EXPECT_EQ(numbers<float>(apply("average_pool", {counting}, window({2, 2}, {2, 2}, Padding::same))[0]),
            (Floats{3, 4.5, 7.5, 9}));
  WindowAttributes attributes = window({2, 2}, {2, 2}, Padding::same);
  attributes.input = {1, 3, 3, 1};
  const Tensor dy = floats({1, 2, 2, 1}, {4, 4, 4, 4});
  EXPECT_EQ(numbers<float>(apply("average_pool_gradient", {dy}, attributes)[0]),
            (Floats{1, 1, 2, 1, 1, 2, 2, 2, 4}));
}

TEST(Pooling, RefusesWhatDoesntFit) {
  const auto f32 = [](const Shape& shape) { return TensorSpec{Type::float32, shape}; };
  const WindowAttributes two = window({2, 2}, {2, 2}, Padding::valid);
  EXPECT_EQ(refusal("max_pool", {f32({8, 8})}, two), "[max_pool] x has rank 2, not 4: it is float32[8,8]");
  EXPECT_EQ(refusal("average_pool", {{Type::int32, {1, 8, 8, 1}}}, two),
            "[average_pool] x must be float32, float64, float16 or bfloat16: it is int32[1,8,8,1]");
  EXPECT_EQ(refusal("max_pool_gradient", {f32({1, 8, 8, 1}), f32({1, 3, 4, 1}), f32({1, 3, 4, 1})}, two),
            "[max_pool_gradient] the shapes differ: y is float32[1,3,4,1], the pooled x is float32[1,4,4,1]");
  EXPECT_EQ(refusal("average_pool_gradient", {f32({1, 3, 4, 1})}, two),
            "[average_pool_gradient] x has rank 0, not 4: it is float32[]");
  WindowAttributes dilated = two;
  dilated.dilation = {2, 2};
  EXPECT_EQ(refusal("max_pool", {f32({1, 8, 8, 1})}, dilated),
            "[max_pool] pooling has neither dilation nor groups: " + print(Attributes(dilated)) +
                "; leave both at 1");
}

}  // namespace
}  // namespace wt
