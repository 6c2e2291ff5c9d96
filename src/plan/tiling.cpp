#include "plan/tiling.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace wt::plan {

namespace {

using device::Precision;

struct Tile {
  double rows = 0;
  double columns = 0;
  double efficiency = 0;
};

constexpr Tile scalar_tiles[] = {
    {128, 128, 1}, {128, 64, 0.92}, {64, 64, 0.82}, {128, 32, 0.72}, {32, 32, 0.5}};
constexpr Tile matrix_tiles[] = {
    {256, 128, 1}, {128, 128, 0.92}, {128, 64, 0.75}, {64, 64, 0.58}, {32, 32, 0.25}};

// The start of a sum over k takes as much time as this number of terms.
constexpr double scalar_start = 64;
constexpr double matrix_start = 128;

constexpr double most_splits = 64;

double fill(double size, double step) { return size / (std::ceil(size / step) * step); }

struct Sizes {
  double batch = 0, m = 0, n = 0, k = 0;
};

// The share of processors that work, on average over the waves of tiles. The last wave is seldom full.
double wave_fill(double tiles, int processors) {
  if (processors == 0) return 1;
  const double waves = tiles / processors;
  return waves / std::ceil(waves);
}

double tiled(const Sizes& s, const Tile& tile, int processors, double start, double splits) {
  const double tiles = s.batch * std::ceil(s.m / tile.rows) * std::ceil(s.n / tile.columns) * splits;
  const double k = s.k / splits;
  return tile.efficiency * fill(s.m, tile.rows) * fill(s.n, tile.columns) * wave_fill(tiles, processors) * k /
         (k + start);
}

double best_tile(const Sizes& s, std::span<const Tile> tiles, int processors, double start, bool may_split) {
  double best = 0;
  for (const Tile& tile : tiles)
    for (double splits = 1; splits <= (may_split ? std::min(s.k, most_splits) : 1); splits *= 2)
      best = std::max(best, tiled(s, tile, processors, start, splits));
  return best;
}

bool has_matrix_units(const device::DeviceType& type) {
  return !type.compute_capability || *type.compute_capability >= device::ComputeCapability{7, 0};
}

}  // namespace

Precision computed_in(const device::DeviceType& type, Precision wanted) {
  return type.peak.contains(wanted) ? wanted : Precision::float32;
}

Arithmetic arithmetic_of(const device::DeviceType& type, Precision wanted) {
  const Precision precision = computed_in(type, wanted);
  Arithmetic arithmetic{
      .peak = type.peak.at(precision), .processors = type.processors, .matrix_unit = type.matrix_unit};
  if (type.matrix_unit > 0)
    arithmetic.unit = Unit::systolic;
  else if (type.kind == device::Kind::gpu)
    arithmetic.unit = precision != Precision::float32 && has_matrix_units(type) ? Unit::matrix : Unit::scalar;
  return arithmetic;
}

double utilization(const ProductGeometry& product, const Arithmetic& arithmetic, bool may_split) {
  const Sizes s{static_cast<double>(product.batch), static_cast<double>(product.m),
                static_cast<double>(product.n), static_cast<double>(product.k)};
  if (s.batch < 1 || s.m < 1 || s.n < 1 || s.k < 1) return 1;
  const int processors = arithmetic.processors;
  switch (arithmetic.unit) {
    case Unit::scalar:
      return best_tile(s, scalar_tiles, processors, scalar_start, may_split);
    case Unit::matrix:
      return best_tile(s, matrix_tiles, processors, matrix_start, may_split);
    case Unit::systolic:
      return fill(s.k, arithmetic.matrix_unit) * fill(s.n, arithmetic.matrix_unit);
    case Unit::plain:
      break;
  }
  return 1;
}

ProductGeometry implicit_product(const ConvolutionGeometry& c) {
  const std::int64_t in = c.in_channels / c.groups, out = c.out_channels / c.groups;
  const std::int64_t window = c.window_height * c.window_width;
  const std::int64_t in_pixels = c.batch * c.in_height * c.in_width;
  const std::int64_t out_pixels = c.batch * c.out_height * c.out_width;
  switch (c.pass) {
    case ConvolutionGeometry::Pass::forward:
      return {c.groups, out_pixels, out, in * window};
    case ConvolutionGeometry::Pass::input_gradient:
      return {c.groups, in_pixels, in, out * window};
    case ConvolutionGeometry::Pass::filter_gradient:
      break;
  }
  return {c.groups, in * window, out, out_pixels};
}

double utilization(const ConvolutionGeometry& convolution, const Arithmetic& arithmetic) {
  const bool is_filter_gradient = convolution.pass == ConvolutionGeometry::Pass::filter_gradient;
  return utilization(implicit_product(convolution), arithmetic, is_filter_gradient);
}

}  // namespace wt::plan
