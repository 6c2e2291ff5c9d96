// Which taps of a filter meet which pixels, along one axis. Included once per instruction set.
#pragma once

#include "kernel/cpu/loops/contraction_panels.h"

namespace wt::loops {
namespace {

// The taps [first, end) of an axis that are within the image. It divides only at the edges of the image.
void clip_taps(Index start, Index delta, Index taps, Index size, Index& first, Index& end) {
  first = start >= 0 ? 0 : divide_up(-start, delta);
  end = start + (taps - 1) * delta < size ? taps : start < size ? divide_up(size - start, delta) : 0;
}

Index greatest_divisor(Index a, Index b) { return b == 0 ? a : greatest_divisor(b, a % b); }

// Along one axis, the input pixels residue, residue + stride, ... are all seen by the same taps of the
// filter: by every tap t for which residue + padding - t * dilation is a multiple of the stride. The quotient
// is the output pixel. The taps are listed by ascending output pixel, so that neighbours are copied in one
// run.
struct Taps {
  Index count = 0, first_tap = 0, tap_step = 0;
  Index first_pixel = 0, pixel_step = 1;
};

Taps taps_of(Index residue, Index padding, Index stride, Index dilation, Index filter) {
  const Index divisor = greatest_divisor(stride, dilation);
  Taps taps{0, 0, -(stride / divisor), 0, dilation / divisor};
  for (Index tap = 0; tap < filter; ++tap) {
    const Index pixel = residue + padding - tap * dilation;
    if (pixel % stride != 0) continue;
    ++taps.count;
    taps.first_tap = tap, taps.first_pixel = pixel / stride;
  }
  return taps;
}

}  // namespace
}  // namespace wt::loops
