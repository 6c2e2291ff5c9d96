#pragma once
// Convolutions on the CPU, of images [n, h, w, c] by filters [k, kh, kw, c / groups], as cuDNN's descriptors describe them.

#include "emulation/rounding.h"

namespace wt::emulation {

struct ImageShape {
  int n = 0, c = 0, h = 0, w = 0;
  long long elements() const { return 1LL * n * c * h * w; }
};

struct Convolution {
  ImageShape x{}, filter{}, y{};  // a filter's n is k
  int pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int groups = 1;
  Multiplies how{};

  bool is_consistent() const;
};

void convolve_forward(const Convolution& c, const float* x, const float* filter, float* y);
void convolve_backward_data(const Convolution& c, const float* filter, const float* dy, float* dx);
void convolve_backward_filter(const Convolution& c, const float* x, const float* dy, float* dfilter);

}  // namespace wt::emulation
