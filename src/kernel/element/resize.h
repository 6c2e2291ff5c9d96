#pragma once
// The shares that given rows have in a new row, as tf.image.resize computes them: one row of the matrix by which an axis
// is multiplied. The CPU's loops and the GPU's threads share it.

#include <cstdint>

#include "kernel/attributes.h"
#include "kernel/element/exponential.h"
#include "kernel/element/math.h"

namespace wt::element {
namespace {

// How much a row counts whose centre lies at a distance, in rows, and the distance from where on it doesn't.
struct ResizeFilter {
  ResizeMethod method{};

  WT_HOST_DEVICE float radius() const {
    switch (method) {
      case ResizeMethod::bilinear:
        return 1.0f;
      case ResizeMethod::gaussian:
        return 1.5f;
      case ResizeMethod::lanczos3:
        return 3.0f;
      case ResizeMethod::lanczos5:
        return 5.0f;
      default:
        return 2.0f;
    }
  }

  WT_HOST_DEVICE float operator()(float distance) const {
    const float x = size_of(distance);
    switch (method) {
      case ResizeMethod::bilinear:
        return x < 1.0f ? 1.0f - x : 0.0f;
      case ResizeMethod::gaussian:  // its deviation is half a row
        return x < radius() ? exponential(-2.0f * x * x) : 0.0f;
      case ResizeMethod::lanczos3:
      case ResizeMethod::lanczos5:
        return lanczos(x);
      case ResizeMethod::mitchellcubic:
        return cubic(x, {7.0f / 6, -2.0f, 0.0f, 8.0f / 9}, {-7.0f / 18, 2.0f, -10.0f / 3, 16.0f / 9});
      default:
        return cubic(x, {1.5f, -2.5f, 0.0f, 1.0f}, {-0.5f, 2.5f, -4.0f, 2.0f});
    }
  }

 private:
  struct Polynomial {
    float cube, square, once, constant;
    WT_HOST_DEVICE float operator()(float x) const { return ((cube * x + square) * x + once) * x + constant; }
  };
  static WT_HOST_DEVICE float cubic(float x, const Polynomial& near, const Polynomial& far) {
    return x >= 2.0f ? 0.0f : x >= 1.0f ? far(x) : near(x);
  }
  WT_HOST_DEVICE float lanczos(float x) const {
    constexpr float pi = 3.14159265359f;
    if (x > radius()) return 0.0f;
    if (x <= 1e-3f) return 1.0f;
    return radius() * sine(pi * x) * sine(pi * x / radius()) / (pi * pi * x * x);
  }
};

struct ResizeShares {
  ResizeMethod method{};
  bool antialias = false;
  std::int64_t given = 1, rows = 1;
  float* shares = nullptr;  // [rows, given]

  WT_HOST_DEVICE void operator()(std::int64_t row) const {
    float* own = shares + row * given;
    for (std::int64_t i = 0; i < given; ++i) own[i] = 0.0f;
    if (method == ResizeMethod::nearest) return nearest(row, own);
    if (method == ResizeMethod::area) return area(row, own);
    if (antialias) return sampled(row, own, scale() > 1.0f ? scale() : 1.0f);
    if (method == ResizeMethod::bilinear) return bilinear(row, own);
    if (method == ResizeMethod::bicubic) return bicubic(row, own);
    sampled(row, own, 1.0f);
  }

 private:
  WT_HOST_DEVICE float scale() const { return static_cast<float>(given) / static_cast<float>(rows); }
  // Where the new row's centre lies among the given rows, whose centres lie at 0, 1, ...
  WT_HOST_DEVICE float place(std::int64_t row) const {
    return (static_cast<float>(row) + 0.5f) * scale() - 0.5f;
  }
  WT_HOST_DEVICE std::int64_t bounded(std::int64_t i) const { return i < 0 ? 0 : i < given ? i : given - 1; }
  static WT_HOST_DEVICE std::int64_t below(float x) { return static_cast<std::int64_t>(rounded_down(x)); }

  WT_HOST_DEVICE void nearest(std::int64_t row, float* own) const {
    own[bounded(below((static_cast<float>(row) + 0.5f) * scale()))] = 1.0f;
  }

  WT_HOST_DEVICE void bilinear(std::int64_t row, float* own) const {
    const std::int64_t first = below(place(row));
    const float second_share = place(row) - static_cast<float>(first);
    own[bounded(first)] += 1.0f - second_share;
    own[bounded(first + 1)] += second_share;
  }

  // The share of each given row that lies within the new one.
  WT_HOST_DEVICE void area(std::int64_t row, float* own) const {
    const float begin = static_cast<float>(row) * scale(), end = static_cast<float>(row + 1) * scale();
    for (std::int64_t i = below(begin); static_cast<float>(i) < end; ++i) {
      const float from = static_cast<float>(i), to = static_cast<float>(i + 1);
      const float within = (to < end ? to : end) - (from < begin ? begin : from);
      own[bounded(i)] += within / scale();
    }
  }

  // TensorFlow looks the shares up in a table of 1024 distances.
  WT_HOST_DEVICE void bicubic(std::int64_t row, float* own) const {
    constexpr float steps = 1024.0f;
    const std::int64_t first = below(place(row));
    const float past = rounded_to_even((place(row) - static_cast<float>(first)) * steps) / steps;
    const ResizeFilter filter{method};
    for (std::int64_t i = first - 1; i <= first + 2; ++i)
      if (i == bounded(i)) own[i] = filter(static_cast<float>(i - first) - past);
    normalize(own, bounded(first - 1), bounded(first + 2));
  }

  // A filter that `widened` stretches, so that it also averages where rows become fewer.
  WT_HOST_DEVICE void sampled(std::int64_t row, float* own, float widened) const {
    const ResizeFilter filter{method};
    const float centre = (static_cast<float>(row) + 0.5f) * scale();
    const float reach = filter.radius() * widened;
    const std::int64_t first = bounded(-below(-(centre - reach - 0.5f)));
    const std::int64_t last = bounded(below(centre + reach - 0.5f));
    for (std::int64_t i = first; i <= last; ++i)
      own[i] = filter((static_cast<float>(i) + 0.5f - centre) * (1.0f / widened));
    normalize(own, first, last);
  }

  static WT_HOST_DEVICE void normalize(float* own, std::int64_t first, std::int64_t last) {
    constexpr float least = 1000.0f * 1.17549435e-38f;
    float sum = 0.0f;
    for (std::int64_t i = first; i <= last; ++i) sum += own[i];
    if (size_of(sum) < least) return;
    const float inverse = 1.0f / sum;
    for (std::int64_t i = first; i <= last; ++i) own[i] *= inverse;
  }
};

}  // namespace
}  // namespace wt::element
