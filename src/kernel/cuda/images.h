#pragma once

#include "base/host_device.h"
#include "kernel/cuda/grid.h"
#include "kernel/window.h"

namespace wt::cuda {

// One axis of a window that slides over images, and the pixels that the window sees.
struct Axis {
  Index input = 0, output = 0, window = 1, stride = 1, dilation = 1, padding = 0;

  // The pixel that a tap of the window over an output sees. It may be outside the image.
  WT_HOST_DEVICE Index pixel(Index out, Index tap) const { return out * stride + tap * dilation - padding; }
  WT_HOST_DEVICE bool has(Index at) const { return at >= 0 && at < input; }

  // The windows [first_window, end_window) that see a pixel. Requires: there is no dilation.
  WT_HOST_DEVICE Index first_window(Index at) const {
    const Index behind = at + padding - window + 1;
    return behind <= 0 ? 0 : (behind + stride - 1) / stride;
  }
  WT_HOST_DEVICE Index end_window(Index at) const {
    const Index end = (at + padding) / stride + 1;
    return end < output ? end : output;
  }
};

inline Axis axis_of(const WindowAxis& axis) {
  return {axis.input, axis.output, axis.window, axis.stride, axis.dilation, axis.padding_before};
}

// The indices of an element of images [batch, height, width, channels].
struct ImagePlace {
  Index image = 0, row = 0, column = 0, channel = 0;
};

// Computes them from the number of the element in memory.
WT_HOST_DEVICE inline ImagePlace image_place(Index element, Index height, Index width, Index channels) {
  ImagePlace place;
  place.channel = element % channels;
  element /= channels;
  place.column = element % width;
  element /= width;
  place.row = element % height;
  place.image = element / height;
  return place;
}

}  // namespace wt::cuda
