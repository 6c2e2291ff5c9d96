#pragma once

#include <algorithm>

#include "kernel/cuda/images.h"

namespace wt::cuda {

// A convolution as a product of matrices (im2col). The pixels that a window sees are a row of a matrix, which
// is multiplied with the filter, whose rows are in the same order: row, column and channel of the window.
// Each group of channels has a matrix of its own.
struct Patches {
  Axis height{}, width{};
  Index channels = 1, groups = 1;
  Index images = 1;  // that are laid out at a time

  WT_HOST_DEVICE Index group_channels() const { return channels / groups; }
  WT_HOST_DEVICE Index rows() const { return images * height.output * width.output; }
  WT_HOST_DEVICE Index columns() const { return height.window * width.window * group_channels(); }
  WT_HOST_DEVICE Index elements() const { return groups * rows() * columns(); }
  WT_HOST_DEVICE Index pixels() const { return images * height.input * width.input * channels; }

  // Whether the matrix equals the images, as it does for a window of one pixel without stride, padding and
  // groups.
  bool are_images() const {
    const auto plain = [](const Axis& axis) {
      return axis.window == 1 && axis.stride == 1 && axis.padding == 0;
    };
    return groups == 1 && plain(height) && plain(width);
  }

  // The element of the images that an element of the matrix holds, -1 if that is padding.
  WT_HOST_DEVICE Index source(Index element) const {
    const Index column = element % columns(), row = element / columns() % rows();
    const Index group = element / (columns() * rows());
    const Index channel = group * group_channels() + column % group_channels();
    const Index tap = column / group_channels();
    const Index in_row = height.pixel(row / width.output % height.output, tap / width.window);
    const Index in_column = width.pixel(row % width.output, tap % width.window);
    if (!height.has(in_row) || !width.has(in_column)) return -1;
    const Index image = row / (width.output * height.output);
    return ((image * height.input + in_row) * width.input + in_column) * channels + channel;
  }

  // The window along an axis that sees the pixel with this tap, -1 if there is none.
  WT_HOST_DEVICE static Index window_at(const Axis& axis, Index pixel, Index tap) {
    const Index start = pixel + axis.padding - tap * axis.dilation;
    if (start < 0 || start % axis.stride != 0) return -1;
    const Index out = start / axis.stride;
    return out < axis.output ? out : -1;
  }

  // Calls f(element of the matrix) for all that hold the element `pixel` of the images, in the order of the
  // taps.
  template <class F>
  WT_HOST_DEVICE void visit(Index pixel, const F& f) const {
    const ImagePlace at = image_place(pixel, height.input, width.input, channels);
    const Index group = at.channel / group_channels();
    for (Index i = 0; i < height.window; ++i) {
      const Index out_row = window_at(height, at.row, i);
      if (out_row < 0) continue;
      for (Index j = 0; j < width.window; ++j) {
        const Index out_column = window_at(width, at.column, j);
        if (out_column < 0) continue;
        const Index row = (at.image * height.output + out_row) * width.output + out_column;
        const Index column = (i * width.window + j) * group_channels() + at.channel % group_channels();
        f((group * rows() + row) * columns() + column);
      }
    }
  }
};

// The matrix of all images that are laid out at a time takes at most this memory, unless one image alone
// takes more.
inline constexpr Index patch_bytes = Index{256} << 20;

inline Index images_at_once(const Patches& of_one_image, Index images, Index element_bytes) {
  const Index size = std::max<Index>(1, of_one_image.elements() * element_bytes);
  return std::clamp<Index>(patch_bytes / size, 1, std::max<Index>(1, images));
}

}  // namespace wt::cuda
