#include <gtest/gtest.h>

#include "kernel/apply.h"

namespace wt {
namespace {

using Doubles = std::vector<double>;

WindowAttributes window(const Shape& size, const Shape& strides, Padding padding) {
  WindowAttributes attributes;
  attributes.size = size;
  attributes.strides = strides;
  attributes.padding = padding;
  return attributes;
}

const Tensor counting = doubles({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
const Tensor four = doubles({2, 2, 1, 1}, {1, 10, 100, 1000});

TEST(Convolution, SlidesTheFilterUnflipped) {
  const Tensor y = apply("conv2d", {counting, four}, window({2, 2}, {1, 1}, Padding::valid))[0];
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 1}));
  EXPECT_EQ(numbers<double>(y), (Doubles{5421, 6532, 8754, 9865}));
}

// As in TensorFlow, an odd row of padding is at the bottom and an odd column at the right.
TEST(Convolution, PadsTheEndFirst) {
  const Tensor y = apply("conv2d", {counting, four}, window({2, 2}, {2, 2}, Padding::same))[0];
  EXPECT_EQ(numbers<double>(y), (Doubles{5421, 603, 87, 9}));
}

TEST(Convolution, ReachesFurtherWithDilation) {
  WindowAttributes attributes = window({2, 2}, {1, 1}, Padding::valid);
  attributes.dilation = {2, 2};
  EXPECT_EQ(numbers<double>(apply("conv2d", {counting, four}, attributes)[0]), (Doubles{9731}));
}

TEST(Convolution, KeepsGroupsApart) {
  WindowAttributes attributes;
  attributes.groups = 2;
  const Tensor x = doubles({1, 1, 1, 4}, {1, 2, 3, 4});
  const Tensor filter = doubles({1, 1, 2, 2}, {1, 100, 10, 1000});  // [.., in of the group, out]
  EXPECT_EQ(numbers<double>(apply("conv2d", {x, filter}, attributes)[0]), (Doubles{21, 4300}));
}

TEST(Convolution, GradientsOfTheFirstPixelAlone) {
  WindowAttributes attributes = window({2, 2}, {1, 1}, Padding::valid);
  const Tensor dy = doubles({1, 2, 2, 1}, {1, 0, 0, 0});
  EXPECT_EQ(numbers<double>(apply("conv2d_filter_gradient", {counting, dy}, attributes)[0]),
            (Doubles{1, 2, 4, 5}));
  attributes.input = {1, 3, 3, 1};
  EXPECT_EQ(numbers<double>(apply("conv2d_input_gradient", {four, dy}, attributes)[0]),
            (Doubles{1, 10, 0, 100, 1000, 0, 0, 0, 0}));
}

// For every dy, three inner products are the same sum: y with dy, x with the gradient to x, and the filter
// with the gradient to the filter.
TEST(Convolution, PassesAreAdjoint) {
  for (const Example& example : kernel_named("conv2d").examples()) {
    WindowAttributes attributes = std::get<WindowAttributes>(example.attributes);
    const auto counted = [](const Shape& shape, int step) {
      Doubles values;
      for (int i = 0; i < shape.elements(); ++i) values.push_back((i * step) % 7 - 3);
      return doubles(shape, values);
    };
    const auto dot = [](const Tensor& a, const Tensor& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.values<double>().size(); ++i)
        sum += a.values<double>()[i] * b.values<double>()[i];
      return sum;
    };
    const Tensor x = counted(example.inputs[0].spec.shape, 3),
                 filter = counted(example.inputs[1].spec.shape, 5);
    const Tensor y = apply("conv2d", {x, filter}, attributes)[0];
    const Tensor dy = counted(y.shape(), 2);
    attributes.input = x.shape();
    EXPECT_EQ(dot(y, dy), dot(apply("conv2d_input_gradient", {filter, dy}, attributes)[0], x))
        << print(x.spec());
    EXPECT_EQ(dot(y, dy), dot(apply("conv2d_filter_gradient", {x, dy}, attributes)[0], filter))
        << print(x.spec());
  }
}

TEST(Convolution, OfNoImagesHasAZeroFilterGradient) {
  for (Type type : {Type::float32, Type::float64}) {
    const std::vector<Tensor> none{Tensor::zeros({type, {0, 3, 3, 1}}), Tensor::zeros({type, {0, 2, 2, 2}})};
    const Tensor gradient = apply("conv2d_filter_gradient", none, window({2, 2}, {1, 1}, Padding::valid))[0];
    EXPECT_EQ(gradient.shape(), (Shape{2, 2, 1, 2}));
    for (std::byte byte : gradient.bytes()) EXPECT_EQ(byte, std::byte{0});
  }
}

TEST(Convolution, RefusesWhatDoesntFit) {
  const auto f32 = [](const Shape& shape) { return TensorSpec{Type::float32, shape}; };
  const WindowAttributes three = window({3, 3}, {1, 1}, Padding::valid);
  EXPECT_EQ(refusal("conv2d", {f32({1, 8, 8, 4}), f32({3, 3, 5, 6})}, three),
            "[conv2d] the channels differ: x is float32[1,8,8,4], the filter is [3,3,5,6] in 1 group; the "
            "filter's third extent must be x's last extent divided by groups");
  EXPECT_EQ(refusal("conv2d", {f32({1, 8, 8, 4}), f32({5, 5, 4, 6})}, three),
            "[conv2d] the filter is float32[5,5,4,6], and size is [3,3]; the first two extents of the filter "
            "must be the size");
  EXPECT_EQ(refusal("conv2d", {f32({1, 2, 8, 4}), f32({3, 3, 4, 6})}, three),
            "[conv2d] the window of [3,3] with dilation [1,1] is larger than the images float32[1,2,8,4]; "
            "use larger "
            "images, a smaller window or padding same");
  EXPECT_EQ(refusal("conv2d", {f32({8, 8, 4}), f32({3, 3, 4, 6})}, three),
            "[conv2d] x has rank 3, not 4: it is float32[8,8,4]");
  WindowAttributes grouped = three;
  grouped.groups = 3;
  EXPECT_EQ(refusal("conv2d", {f32({1, 8, 8, 4}), f32({3, 3, 4, 6})}, grouped),
            "[conv2d] 3 groups don't divide both 4 input and 6 output channels");
  grouped.groups = 0;
  EXPECT_EQ(refusal("conv2d", {f32({1, 8, 8, 4}), f32({3, 3, 4, 6})}, grouped),
            "[conv2d] groups is 0; it must be at least 1");
  WindowAttributes still = three;
  still.strides = {0, 1};
  EXPECT_EQ(refusal("conv2d", {f32({1, 8, 8, 4}), f32({3, 3, 4, 6})}, still),
            "[conv2d] strides is [0,1]; it must be two positive numbers, for height and width");
  WindowAttributes back = three;
  back.input = {1, 8, 8, 4};
  EXPECT_EQ(refusal("conv2d_input_gradient", {f32({3, 3, 4, 6}), f32({1, 5, 6, 6})}, back),
            "[conv2d_input_gradient] the shapes differ: dy is float32[1,5,6,6], the convolved x is "
            "float32[1,6,6,6]");
  EXPECT_EQ(refusal("conv2d_filter_gradient", {f32({1, 8, 8, 4}), f32({1, 5, 6, 6})}, three),
            "[conv2d_filter_gradient] the shapes differ: dy is float32[1,5,6,6], the convolved x is "
            "float32[1,6,6,6]");
}

}  // namespace
}  // namespace wt
