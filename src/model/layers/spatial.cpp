#include "model/layers/spatial.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace wt::model::spatial {

namespace {

Shape without_first(const Shape& extents) {
  Shape rest;
  for (int i = 1; i < extents.rank(); ++i) rest.append(extents[i]);
  return rest;
}

Shape image_extents(const Shape& extents) {
  return extents.rank() == 1 ? Shape{1, extents[0]} : extents.rank() == 3 ? without_first(extents) : extents;
}

WindowAttributes image_window(const Window& window) {
  return {.size = image_extents(window.size),
          .strides = image_extents(window.strides),
          .dilation = image_extents(window.dilation),
          .padding = window.padding,
          .groups = window.groups};
}

Symbol as_image(Symbol sequence) {
  const Shape s = sequence.shape();
  return reshape(sequence, {s[0], 1, s[1], s[2]});
}
Symbol as_sequence(Symbol image) {
  const Shape s = image.shape();
  return reshape(image, {s[0], s[2], s[3]});
}

// Along the depth of a volume: how many windows there are, and the slices that padding adds on both sides, as
// TensorFlow pads.
struct Depth {
  std::int64_t windows = 0;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

Depth depth_of(std::int64_t extent, const Window& window) {
  const std::int64_t reach = (window.size[0] - 1) * window.dilation[0] + 1, stride = window.strides[0];
  if (window.padding == Padding::valid) {
    if (extent < reach)
      throw InputError(fmt::format("a window of {} slices does not fit into a volume of {}", reach, extent),
                       "make the window smaller");
    return {(extent - reach) / stride + 1, 0, 0};
  }
  const std::int64_t windows = (extent + stride - 1) / stride;
  const std::int64_t added = std::max<std::int64_t>(0, (windows - 1) * stride + reach - extent);
  return {windows, added / 2, added - added / 2};
}

// For each slice of the window, the images that it meets: [batch * windows, height, width, channels].
std::vector<Symbol> images_by_slice(Symbol x, const Window& window, const Depth& depth, double padding) {
  const Symbol whole = padded(x, 1, depth.before, depth.after, padding);
  std::vector<Symbol> images;
  for (std::int64_t slice = 0; slice < window.size[0]; ++slice) {
    const Symbol met = strided(whole, 1, slice * window.dilation[0], depth.windows, window.strides[0]);
    const Shape s = met.shape();
    images.push_back(reshape(met, {s[0] * s[1], s[2], s[3], s[4]}));
  }
  return images;
}

Symbol as_volume(Symbol images, std::int64_t windows) {
  const Shape s = images.shape();
  return reshape(images, {s[0] / windows, windows, s[1], s[2], s[3]});
}

Symbol convolve_volume(Symbol x, Symbol kernel, const Window& window) {
  const Depth depth = depth_of(x.shape()[1], window);
  const std::vector<Symbol> images = images_by_slice(x, window, depth, 0);
  const Shape k = kernel.shape();
  const std::vector<Symbol> of_kernel = slices(kernel, 0);
  std::optional<Symbol> sum;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Symbol part =
        conv2d(images[i], reshape(of_kernel[i], {k[1], k[2], k[3], k[4]}), image_window(window));
    sum = sum ? *sum + part : part;
  }
  return as_volume(*sum, depth.windows);
}

// How many slices of each window are not padding: [1, windows, 1, 1, 1].
Symbol slices_inside(Symbol x, const Window& window, const Depth& depth) {
  const std::int64_t extent = x.shape()[1];
  const Symbol ones = fill(*x.trace, {x.spec().type, {1, extent, 1, 1, 1}}, 1);
  std::optional<Symbol> sum;
  for (const Symbol image : images_by_slice(ones, window, depth, 0)) sum = sum ? *sum + image : image;
  return as_volume(*sum, depth.windows);
}

}  // namespace

Symbol padded(Symbol x, int axis, std::int64_t before, std::int64_t after, double value) {
  const auto added = [&](std::int64_t extent) {
    TensorSpec spec = x.spec();
    spec.shape[axis] = extent;
    return fill(*x.trace, spec, value);
  };
  std::vector<Symbol> parts;
  if (before > 0) parts.push_back(added(before));
  parts.push_back(x);
  if (after > 0) parts.push_back(added(after));
  return parts.size() == 1 ? x : concat(parts, axis);
}

Symbol cropped(Symbol x, int axis, std::int64_t before, std::int64_t after) {
  const std::int64_t kept = x.shape()[axis] - before - after;
  if (kept < 1)
    throw InputError(fmt::format("cropping {} and {} leaves nothing of axis {} of {}", before, after, axis,
                                 print(x.spec())),
                     "crop less");
  Shape sizes;
  if (before > 0) sizes.append(before);
  sizes.append(kept);
  if (after > 0) sizes.append(after);
  return sizes.rank() == 1 ? x : split(x, axis, sizes)[before > 0 ? 1 : 0];
}

// An operation has at most as many sizes as a shape has axes, so that many slices are cut in two first.
std::vector<Symbol> slices(Symbol x, int axis) {
  const std::int64_t count = x.shape()[axis];
  if (count == 1) return {x};
  if (count <= Shape::max_rank) {
    Shape ones;
    for (std::int64_t i = 0; i < count; ++i) ones.append(1);
    return split(x, axis, ones);
  }
  std::vector<Symbol> all;
  for (const Symbol half : split(x, axis, {count / 2, count - count / 2})) {
    const std::vector<Symbol> own = slices(half, axis);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Symbol strided(Symbol x, int axis, std::int64_t begin, std::int64_t count, std::int64_t stride) {
  // Complete groups of `stride` elements, of which the first is kept. The last group may reach beyond the end.
  const std::int64_t end = begin + count * stride, extent = x.shape()[axis];
  const Symbol groups = cropped(padded(x, axis, 0, std::max<std::int64_t>(0, end - extent)), axis, begin,
                                std::max<std::int64_t>(0, extent - end));
  if (stride == 1) return groups;
  const Shape s = groups.shape();
  const Symbol apart = reshape(groups, {s.elements(0, axis), count, stride, s.elements(axis + 1, s.rank())});
  Shape result = s;
  result[axis] = count;
  return reshape(split(apart, 2, {1, stride - 1})[0], result);
}

Symbol multiplied(Symbol x, int axis, Symbol matrix) {
  Shape order;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (i != axis) order.append(i);
  order.append(axis);
  Shape back;
  for (int i = 0; i < x.shape().rank(); ++i)
    back.append(i < axis ? i : i == axis ? x.shape().rank() - 1 : i - 1);
  return transpose(matmul(transpose(x, order), matrix, {.transpose_b = true}), back);
}

// By a product with a matrix that has ones on the other diagonal.
Symbol reversed(Symbol x) {
  const std::int64_t time = x.shape()[1];
  Trace& trace = *x.trace;
  const Symbol forwards = range(trace, {x.spec().type, {time}}, 1);
  const Symbol backwards = -forwards + static_cast<double>(time - 1);
  const Symbol exchange = cast(equal(reshape(forwards, {time, 1}), backwards), x.spec().type);
  return transpose(matmul(transpose(x, {0, 2, 1}), exchange), {0, 2, 1});
}

Symbol convolve(Symbol x, Symbol kernel, const Window& window) {
  if (spatial_rank(x) == 3) return convolve_volume(x, kernel, window);
  if (spatial_rank(x) == 2) return conv2d(x, kernel, image_window(window));
  const Shape k = kernel.shape();
  return as_sequence(conv2d(as_image(x), reshape(kernel, {1, k[0], k[1], k[2]}), image_window(window)));
}

Symbol max_pool(Symbol x, const Window& window) {
  if (spatial_rank(x) == 1) return as_sequence(wt::max_pool(as_image(x), image_window(window)));
  if (spatial_rank(x) == 2) return wt::max_pool(x, image_window(window));
  const Depth depth = depth_of(x.shape()[1], window);
  std::optional<Symbol> largest;
  for (const Symbol image : images_by_slice(x, window, depth, std::numeric_limits<float>::lowest()))
    largest = largest ? maximum(*largest, image) : image;
  return as_volume(wt::max_pool(*largest, image_window(window)), depth.windows);
}

Symbol average_pool(Symbol x, const Window& window) {
  if (spatial_rank(x) == 1) return as_sequence(wt::average_pool(as_image(x), image_window(window)));
  if (spatial_rank(x) == 2) return wt::average_pool(x, image_window(window));
  const Depth depth = depth_of(x.shape()[1], window);
  std::optional<Symbol> sum;
  for (const Symbol image : images_by_slice(x, window, depth, 0)) sum = sum ? *sum + image : image;
  const Symbol pooled = as_volume(wt::average_pool(*sum, image_window(window)), depth.windows);
  return pooled / slices_inside(x, window, depth);
}

}  // namespace wt::model::spatial
