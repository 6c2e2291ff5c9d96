#pragma once

#include <string_view>

#include "kernel/attributes.h"

namespace wt {

// The window of a convolution or a pooling, as it slides over images [batch, height, width, channels].

// One axis: output i sees the input pixels i * stride + tap * dilation - padding_before, for every tap of the
// window.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t window = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padding_before = 0;  // the padding after the last pixel follows from the output's extent
};

struct SlidingWindow {
  WindowAxis height{};
  WindowAxis width{};
};

// The window that the attributes describe, on images of this shape. Throws InputError "[kernel] ..." where
// the attributes describe no window, or one that is larger than the images.
SlidingWindow slide(std::string_view kernel, const TensorSpec& images, const WindowAttributes& attributes);

}  // namespace wt
