#pragma once
// The share of its peak that a device can reach for a product or a convolution of given sizes, even with the
// best library. The share is below 1 because tiles extend beyond the edge of the matrix, because processors
// stay idle in the last wave of tiles, and because short sums do not pay for their start. Nothing here is
// fitted to measurements. The efficiencies of the tile sizes in tiling.cpp are estimates, based on how often
// a tile reuses each operand.

#include <cstdint>

#include "device/type.h"
#include "kernel/work.h"

namespace wt::plan {

// The kind of hardware that multiplies.
enum class Unit : std::uint8_t {
  scalar,    // the lanes of a GPU, one product each
  matrix,    // the tensor cores of a GPU
  systolic,  // the systolic array of a TPU, which pads the feature dimensions
  plain      // vector units of a CPU, or hardware that tiles do not describe; the sizes have no influence
};

// The arithmetic hardware of a device at one precision.
struct Arithmetic {
  Unit unit = Unit::plain;
  FlopsPerSecond peak{};
  int processors = 0;   // streaming multiprocessors; 0: unknown
  int matrix_unit = 0;  // side of the systolic array, in numbers
};

// The precision in which a device computes products and convolutions if `wanted` is requested: `wanted` if
// the device has a peak for it, else float32.
device::Precision computed_in(const device::DeviceType& type, device::Precision wanted);

Arithmetic arithmetic_of(const device::DeviceType& type, device::Precision wanted);

// The share of the peak, above 0 and at most 1. With `may_split`, the library may cut the sum along k, so
// that more processors take part.
double utilization(const ProductGeometry& product, const Arithmetic& arithmetic, bool may_split = false);

// The shape of the matrix product that is equivalent to a convolution (im2col). The matrix of windows is
// never stored. For input gradients with a stride, m counts the pixels that are written.
ProductGeometry implicit_product(const ConvolutionGeometry& convolution);

double utilization(const ConvolutionGeometry& convolution, const Arithmetic& arithmetic);

}  // namespace wt::plan
