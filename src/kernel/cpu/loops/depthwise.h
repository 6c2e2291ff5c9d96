// Convolutions in which each channel has filters of its own, such as Keras' DepthwiseConv2D. They multiply so little for
// each number that they read that packing panels for a product would take most of the time: one product for each channel
// took 80 times as long as these loops, whose innermost loop runs over the channels, as they lie in memory.
// contraction.cpp includes this file, once per instruction set.
#pragma once

#include "kernel/cpu/loops/contraction.h"
#include "kernel/cpu/loops/contraction_panels.h"
#include "kernel/cpu/loops/taps.h"

namespace wt::loops {
namespace {

bool is_depthwise(const Convolution& c) { return c.groups > 1 && c.groups == c.channels; }

Index count_taps(const Convolution& c) { return c.filter_height * c.filter_width; }

// The gradient of the filter is a sum over all rows of all images. It is cut into so many parts, which are added in the end.
Index depthwise_parts(const Convolution& c) {
  constexpr Index enough_parts = 32;
  return max(1, min(enough_parts, c.batch * c.out_height));
}

// What a loop over channels takes at a time: four vectors, so that finding the pixels costs little beside the numbers, one
// vector, or one number.
struct Four {
  Vector a{}, b{}, c{}, d{};
};
template <class V>
constexpr Index width_of = lanes;
template <>
constexpr Index width_of<Four> = 4 * lanes;
template <>
constexpr Index width_of<float> = 1;

void add_product(float& sum, const float* a, const float* b) { sum += *a * *b; }
void add_product(Vector& sum, const float* a, const float* b) { sum += load(a) * load(b); }
void add_product(Four& sum, const float* a, const float* b) {
  add_product(sum.a, a, b);
  add_product(sum.b, a + lanes, b + lanes);
  add_product(sum.c, a + 2 * lanes, b + 2 * lanes);
  add_product(sum.d, a + 3 * lanes, b + 3 * lanes);
}
void add(float* to, float sum) { *to += sum; }
void add(float* to, Vector sum) { store(to, load(to) + sum); }
void add(float* to, const Four& sum) {
  add(to, sum.a);
  add(to + lanes, sum.b);
  add(to + 2 * lanes, sum.c);
  add(to + 3 * lanes, sum.d);
}

// Calls f(zero, channel of the output, channel of the input), for many channels at a time where each channel of the input
// has one of the output.
template <class F>
void for_channels(const Convolution& c, F f) {
  const Index multiplier = c.out_channels / c.channels;
  Index channel = 0;
  if (multiplier == 1) {
    for (; channel + width_of<Four> <= c.channels; channel += width_of<Four>) f(Four{}, channel, channel);
    for (; channel + lanes <= c.channels; channel += lanes) f(Vector{}, channel, channel);
  }
  for (; channel < c.out_channels; ++channel) f(0.0F, channel, channel / multiplier);
}

// The products of one axis that one sum has: number k in [begin, end) takes pixel + k * pixel_step and tap + k * tap_step.
struct Walk {
  Index pixel = 0, pixel_step = 1;
  Index tap = 0, tap_step = 1;
  Index begin = 0, end = 0;
};

Walk walk_of(Taps taps, Index pixel, Index size) {
  Walk walk{pixel + taps.first_pixel, taps.pixel_step, taps.first_tap, taps.tap_step, 0, 0};
  clip_taps(walk.pixel, walk.pixel_step, taps.count, size, walk.begin, walk.end);
  return walk;
}

template <class V>
V sum_of_taps(const Walk& y, const Walk& x, const float* pixels, Index row_step, Index pixel_step,
              const float* filter, Index filter_row_step, Index tap_step) {
  V sum{};
  for (Index i = y.begin; i < y.end; ++i) {
    const float* from =
        pixels + (y.pixel + i * y.pixel_step) * row_step + (x.pixel + x.begin * x.pixel_step) * pixel_step;
    const float* by =
        filter + (y.tap + i * y.tap_step) * filter_row_step + (x.tap + x.begin * x.tap_step) * tap_step;
    for (Index k = x.begin; k < x.end; ++k, from += x.pixel_step * pixel_step, by += x.tap_step * tap_step)
      add_product(sum, from, by);
  }
  return sum;
}

// A row of the output, and a row of the gradient of the input.
void depthwise_row(const Convolution& c, bool is_gradient, Index row, const Operands& operands) {
  const Index height = is_gradient ? c.height : c.out_height, width = is_gradient ? c.width : c.out_width;
  const Index from_height = is_gradient ? c.out_height : c.height,
              from_width = is_gradient ? c.out_width : c.width;
  const Index from_channels = is_gradient ? c.out_channels : c.channels;
  const Index to_channels = is_gradient ? c.channels : c.out_channels;
  const auto walk = [&](Index pixel, Index padding, Index stride, Index dilation, Index taps, Index size) {
    return is_gradient
               ? walk_of(taps_of(pixel % stride, padding, stride, dilation, taps), pixel / stride, size)
               : walk_of({taps, 0, 1, -padding, dilation}, pixel * stride, size);
  };
  const Walk y = walk(row % height, c.pad_top, c.stride_y, c.dilation_y, c.filter_height, from_height);
  const float* const image = operands.a + row / height * from_height * from_width * from_channels;
  float* const to = operands.c + row * width * to_channels;
  clear(to, width * to_channels);
  for (Index pixel = 0; pixel < width; ++pixel) {
    const Walk x = walk(pixel, c.pad_left, c.stride_x, c.dilation_x, c.filter_width, from_width);
    for_channels(c, [&](auto zero, Index of_output, Index of_input) {
      const Index from = is_gradient ? of_output : of_input, at = is_gradient ? of_input : of_output;
      add(to + pixel * to_channels + at,
          sum_of_taps<decltype(zero)>(y, x, image + from, from_width * from_channels, from_channels,
                                      operands.b + of_output, c.filter_width * c.out_channels,
                                      c.out_channels));
    });
  }
}

// The part of the gradient of the filter that some rows of the output give.
void depthwise_filter_part(const Convolution& c, Index part, const Operands& operands, float* to) {
  const Index rows = c.batch * c.out_height, parts = depthwise_parts(c);
  clear(to, count_taps(c) * c.out_channels);
  for (Index row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
    const Index first_y = row % c.out_height * c.stride_y - c.pad_top;
    Index top = 0, bottom = 0, left = 0, right = 0;
    clip_taps(first_y, c.dilation_y, c.filter_height, c.height, top, bottom);
    const float* const image = operands.a + row / c.out_height * c.height * c.width * c.channels;
    const float* const dy = operands.b + row * c.out_width * c.out_channels;
    for (Index tap = top * c.filter_width; tap < bottom * c.filter_width; ++tap) {
      const Index first_x = tap % c.filter_width * c.dilation_x - c.pad_left;
      clip_taps(first_x, c.stride_x, c.out_width, c.width, left, right);
      const float* const pixels =
          image + (first_y + tap / c.filter_width * c.dilation_y) * c.width * c.channels;
      for_channels(c, [&](auto sum, Index of_output, Index of_input) {
        for (Index x = left; x < right; ++x)
          add_product(sum, pixels + (first_x + x * c.stride_x) * c.channels + of_input,
                      dy + x * c.out_channels + of_output);
        add(to + tap * c.out_channels + of_output, sum);
      });
    }
  }
}

// Adds the parts of a tap in their order.
void depthwise_filter_sum(const Convolution& c, Index tap, const float* parts, float* filter) {
  const Index first = tap * c.out_channels;
  copy(filter + first, parts + first, c.out_channels);
  for (Index part = 1; part < depthwise_parts(c); ++part)
    for (Index i = first; i < first + c.out_channels; ++i)
      filter[i] += parts[part * count_taps(c) * c.out_channels + i];
}

Work depthwise_work(const Convolution& c, ConvolutionRole role) {
  if (role == ConvolutionRole::forward) return {0, {0, c.batch * c.out_height, 0}};
  if (role == ConvolutionRole::input_gradient) return {0, {0, c.batch * c.height, 0}};
  const Index parts = depthwise_parts(c);
  return {parts * count_taps(c) * c.out_channels * static_cast<Index>(sizeof(float)),
          {0, parts, count_taps(c)}};
}

void depthwise_tile(const Convolution& c, ConvolutionRole role, int phase, Index tile,
                    const Operands& operands, float* parts) {
  const bool is_gradient = role == ConvolutionRole::input_gradient;
  if (is_gradient || role == ConvolutionRole::forward) return depthwise_row(c, is_gradient, tile, operands);
  if (phase == 2) return depthwise_filter_sum(c, tile, parts, operands.c);
  depthwise_filter_part(c, tile, operands, parts + tile * count_taps(c) * c.out_channels);
}

}  // namespace
}  // namespace wt::loops
