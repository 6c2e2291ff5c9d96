#include "plan/convolution_algorithm.h"

#include <algorithm>
#include <cmath>

namespace wt::plan {

namespace {

using Pass = ConvolutionGeometry::Pass;

struct Convolving {
  const ConvolutionGeometry& shape;
  double flops = 0;
  double bytes = 0;
  double element_bytes = 0;
  const Arithmetic& arithmetic;
};

std::int64_t cut(std::int64_t size, std::int64_t step) { return (size + step - 1) / step; }

// The number of tiles with `side` output pixels per dimension, over all images.
std::int64_t tiles(const ConvolutionGeometry& c, std::int64_t height, std::int64_t width) {
  return c.batch * cut(c.out_height, height) * cut(c.out_width, width);
}

ProductGeometry transformed_product(const ConvolutionGeometry& c, std::int64_t points, std::int64_t tiles) {
  switch (c.pass) {
    case Pass::forward:
      return {points, tiles, c.out_channels, c.in_channels};
    case Pass::input_gradient:
      return {points, tiles, c.in_channels, c.out_channels};
    case Pass::filter_gradient:
      break;
  }
  return {points, c.in_channels, c.out_channels, tiles};
}

double image_elements(const ConvolutionGeometry& c) {
  const double in =
      static_cast<double>(c.batch * c.in_height * c.in_width) * static_cast<double>(c.in_channels);
  const double out =
      static_cast<double>(c.batch * c.out_height * c.out_width) * static_cast<double>(c.out_channels);
  return in + out;
}

// The reduction of multiplications for whole tiles. A tile beyond the edge of the image would compute unused
// outputs, but published times do not show this loss.
double reduced(const Convolving& c, double side, double points) {
  const double window = static_cast<double>(c.shape.window_height * c.shape.window_width);
  return c.flops * points / (side * side * window);
}

// F(2x2, 3x3) with the transforms inside the kernel, so that only the operands cause traffic.
Method fused_winograd(const Convolving& c) {
  return {.name = "winograd 2x2, fused",
          .arithmetic = Class::winograd,
          .peak = c.arithmetic.peak,
          .flops = reduced(c, 2, 16),
          .utilization = utilization(c.shape, c.arithmetic),
          .bytes = c.bytes};
}

// F(4x4, 3x3) or F(2x2, 5x5), which are one matrix product for each of 36 points.
Method winograd(const Convolving& c, std::int64_t side, std::string_view name) {
  constexpr std::int64_t points = 36;
  const ProductGeometry product = transformed_product(c.shape, points, tiles(c.shape, side, side));
  const double expansion = static_cast<double>(points) / static_cast<double>(side * side);
  return {.name = name,
          .arithmetic = Class::product,
          .peak = c.arithmetic.peak,
          .flops = reduced(c, static_cast<double>(side), points),
          .utilization = utilization(product, c.arithmetic, c.shape.pass == Pass::filter_gradient),
          .bytes = c.bytes,
          .transformed = c.element_bytes * image_elements(c.shape) * (1 + 2 * expansion)};
}

// FFT in tiles of 32 x 32 that overlap by the window. 32 x 17 complex numbers of a tile are independent.
Method fft(const Convolving& c) {
  constexpr std::int64_t points = 32 * 17;
  const ConvolutionGeometry& s = c.shape;
  const std::int64_t count = tiles(s, 33 - s.window_height, 33 - s.window_width);
  const ProductGeometry product = transformed_product(s, points, count);
  const double in = static_cast<double>(s.in_channels), out = static_cast<double>(s.out_channels);
  const double spectra = static_cast<double>(count) * (in + out) + in * out;  // written, then read
  return {.name = "fft 32x32",
          .arithmetic = Class::product,
          .peak = c.arithmetic.peak,
          .flops = 8.0 * points * static_cast<double>(count) * in * out,
          .utilization = utilization(product, c.arithmetic, s.pass == Pass::filter_gradient),
          .bytes = c.bytes,
          .transformed = c.element_bytes * (image_elements(s) + 4.0 * points * spectra)};
}

bool may_transform(const Convolving& c) {
  const ConvolutionGeometry& s = c.shape;
  return c.arithmetic.unit == Unit::scalar && s.stride_height == 1 && s.stride_width == 1 && s.groups == 1 &&
         c.flops > 0;
}

}  // namespace

std::vector<Method> convolution_methods(const ConvolutionGeometry& s, double flops, double bytes,
                                        double element_bytes, const Arithmetic& arithmetic, Images images) {
  const Convolving c{s, flops, bytes, element_bytes, arithmetic};
  const bool is_turned =
      images == Images::channels_first && arithmetic.unit == Unit::matrix && element_bytes <= 2;
  std::vector<Method> methods{
      {.name = "implicit product",
       .arithmetic = Class::convolution,
       .peak = arithmetic.peak,
       .flops = flops,
       // A depthwise convolution has no sum over channels and no matrix product; it is bound by memory.
       .utilization = s.groups > 1 && s.groups == s.in_channels ? 1 : utilization(s, arithmetic),
       .bytes = bytes,
       .transformed = is_turned ? 2 * element_bytes * image_elements(s) : 0}};
  if (!may_transform(c)) return methods;
  const auto is_window = [&](std::int64_t side) { return s.window_height == side && s.window_width == side; };
  if (is_window(3)) {
    if (s.pass != Pass::filter_gradient) methods.push_back(fused_winograd(c));
    methods.push_back(winograd(c, 4, "winograd 4x4"));
  }
  if (is_window(5)) methods.push_back(winograd(c, 2, "winograd 2x2 of 5x5"));
  const auto suits_fft = [](std::int64_t side) { return side >= 5 && side <= 16; };
  if (suits_fft(s.window_height) && suits_fft(s.window_width)) methods.push_back(fft(c));
  return methods;
}

}  // namespace wt::plan
