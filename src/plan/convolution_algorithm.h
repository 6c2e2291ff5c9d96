#pragma once
// The ways a library has to convolve. In float32 those that trade multiplications for additions (Winograd,
// 1980; Lavin and Gray, 2015; FFT: Mathieu, Henaff and LeCun, 2013) are what makes VGG16 and AlexNet run
// above the peak that their direct count would allow; matrix units have no such choice.

#include <string_view>
#include <vector>

#include "plan/tiling.h"

namespace wt::plan {

// What a part of a device's time goes by.
enum class Class : std::uint8_t { elementwise, product, convolution, winograd };

// One way of doing a node's work. Its arithmetic and its operands' traffic overlap; its transforms don't.
struct Method {
  std::string_view name{};
  Class arithmetic = Class::elementwise;
  double flops = 0;
  double utilization = 1;  // of the peak, by sizes alone
  double bytes = 0;        // operands
  double transformed = 0;  // bytes to and from the transformed operands
};

// Direct is always there and stands first. `bytes` are the operands', `element_bytes` one number's.
std::vector<Method> convolution_methods(const ConvolutionGeometry& convolution, double flops, double bytes,
                                        double element_bytes, const Arithmetic& arithmetic);

}  // namespace wt::plan
