#pragma once
// Operations on windows of sequences [batch, time, channels], images [batch, height, width, channels] and volumes
// [batch, depth, height, width, channels], by the kernels for images. A sequence is an image of height 1. A window of
// a volume is a sum, a maximum or a mean of windows of its slices.

#include "program/operations.h"

namespace wt::model::spatial {

// The axes between batch and channels.
inline int spatial_rank(Symbol x) { return x.shape().rank() - 2; }

// Of a sequence, an image or a volume; size, strides and dilation have one number for each spatial axis.
struct Window {
  Shape size{};
  Shape strides{};
  Shape dilation{};
  Padding padding = Padding::valid;
  std::int64_t groups = 1;  // of channels, in a convolution
};

Symbol convolve(Symbol x, Symbol kernel, const Window& window);
Symbol max_pool(Symbol x, const Window& window);
Symbol average_pool(Symbol x, const Window& window);  // padded elements are not part of the mean

// Cuts or extends one axis. Elements that are added have the value.
Symbol padded(Symbol x, int axis, std::int64_t before, std::int64_t after, double value = 0);
Symbol cropped(Symbol x, int axis, std::int64_t before, std::int64_t after);
// The tensor cut into pieces of extent 1 along an axis.
std::vector<Symbol> slices(Symbol x, int axis);
// The elements begin, begin + stride, ... along one axis. Requires: they exist.
Symbol strided(Symbol x, int axis, std::int64_t begin, std::int64_t count, std::int64_t stride);

// The rows along an axis times a matrix [new rows, rows].
Symbol multiplied(Symbol x, int axis, Symbol matrix);

// The steps of [batch, time, features] in the opposite order.
Symbol reversed(Symbol x);

}  // namespace wt::model::spatial
