#pragma once
// The algorithms by which a library can compute a convolution. In float32, algorithms that replace
// multiplications by additions (Winograd, 1980; Lavin and Gray, 2015; FFT: Mathieu, Henaff and LeCun, 2013)
// let VGG16 and AlexNet run faster than the direct count of operations at peak rate would allow. Matrix units
// compute the direct one only.

#include <string_view>
#include <vector>

#include "plan/framework.h"
#include "plan/tiling.h"

namespace wt::plan {

// The kind of arithmetic, which decides the fitted constant that applies to it (device::Efficiency).
enum class Class : std::uint8_t { elementwise, product, convolution, winograd };

// One way to compute a node. Its arithmetic overlaps with the traffic of its operands. The transforms of
// operands (Winograd, FFT) overlap with nothing.
struct Method {
  std::string_view name{};
  Class arithmetic = Class::elementwise;
  FlopsPerSecond peak{};  // of the device's data sheet, in the precision of this method
  double flops = 0;
  double utilization = 1;  // share of the peak that the sizes allow (plan/tiling.h)
  double bytes = 0;        // traffic of the operands
  double transformed = 0;  // traffic of the transformed operands, in bytes
};

// The methods that apply to this convolution, the direct one first. `bytes` is the traffic of the operands
// and `element_bytes` the size of one number.
//
// Matrix units take halves with their channels last (NVIDIA, Optimizing Convolutional Layers User's Guide, "Tensor
// Layouts In Memory"). If a framework keeps images with their channels first, the library therefore reads and writes
// both images of each convolution once more.
std::vector<Method> convolution_methods(const ConvolutionGeometry& convolution, double flops, double bytes,
                                        double element_bytes, const Arithmetic& arithmetic,
                                        Images images = Images::channels_last);

}  // namespace wt::plan
