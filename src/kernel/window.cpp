#include "kernel/window.h"

#include <algorithm>

#include "kernel/signature.h"

namespace wt {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 31;  // keeps the arithmetic below from overflowing

void require_extents(std::string_view kernel, std::string_view what, const Shape& extents) {
  const bool counts = std::all_of(extents.begin(), extents.end(),
                                  [](std::int64_t extent) { return extent >= 1 && extent < largest; });
  if (extents.rank() != 2 || !counts)
    refuse(kernel, fmt::format("{} is {}", what, print(extents)),
           "it must be two positive numbers, for height and width");
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

WindowAxis slide_along(std::int64_t input, const WindowAttributes& attributes, int axis) {
  WindowAxis result{input, 0, attributes.size[axis], attributes.strides[axis], attributes.dilation[axis], 0};
  const std::int64_t span = (result.window - 1) * result.dilation + 1;
  if (attributes.padding == Padding::valid) {
    result.output = std::max<std::int64_t>(0, divide_up(input - span + 1, result.stride));
  } else {
    result.output = divide_up(input, result.stride);
    const std::int64_t covered = (result.output - 1) * result.stride + span;
    result.padding_before = std::max<std::int64_t>(0, covered - input) / 2;
  }
  return result;
}

}  // namespace

SlidingWindow slide(std::string_view kernel, const TensorSpec& images, const WindowAttributes& attributes) {
  require_rank(kernel, "x", images, 4);
  require_extents(kernel, "size", attributes.size);
  require_extents(kernel, "strides", attributes.strides);
  require_extents(kernel, "dilation", attributes.dilation);
  const SlidingWindow window{slide_along(images.shape[1], attributes, 0),
                             slide_along(images.shape[2], attributes, 1)};
  if (window.height.output == 0 || window.width.output == 0)
    refuse(kernel,
           fmt::format("the window of {} with dilation {} is larger than the images {}",
                       print(attributes.size), print(attributes.dilation), print(images)),
           "use larger images, a smaller window or padding same");
  return window;
}

}  // namespace wt
