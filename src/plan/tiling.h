#pragma once
// How much of its peak a device can use for a product or a convolution of given sizes, however good the
// library: tiles that hang over the edge, processors that have no tile, sums too short to pay for their
// beginning. It has no fitted constant; the shares below are stated guesses from how often each tile uses an
// operand.

#include <cstdint>

#include "device/type.h"
#include "kernel/work.h"

namespace wt::plan {

// What multiplies.
enum class Unit : std::uint8_t {
  scalar,    // lanes of a GPU, one product each
  matrix,    // a GPU's tensor cores
  systolic,  // a TPU's, which pads features
  plain      // a CPU's vector units, or anything that tiles badly described: sizes don't matter
};

struct Arithmetic {
  Unit unit = Unit::plain;
  FlopsPerSecond peak{};
  int processors = 0;
  int matrix_unit = 0;
};

// What products and convolutions are computed in, where the device is asked for `wanted`: float32 where it
// has no such peak.
device::Precision computed_in(const device::DeviceType& type, device::Precision wanted);

Arithmetic arithmetic_of(const device::DeviceType& type, device::Precision wanted);

// A share of the peak, above 0 and at most 1. `may_split`: the sum may be cut along k to fill the device.
double utilization(const ProductGeometry& product, const Arithmetic& arithmetic, bool may_split = false);

// The product that a convolution is when its windows are laid out as a matrix that nobody stores. For strided
// input gradients m counts the pixels written.
ProductGeometry implicit_product(const ConvolutionGeometry& convolution);

double utilization(const ConvolutionGeometry& convolution, const Arithmetic& arithmetic);

}  // namespace wt::plan
