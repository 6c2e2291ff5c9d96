#include "kernel/cpu/kernels.h"

#include <algorithm>

#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/pooling.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"
#include "kernel/window.h"

namespace wt::cpu {
namespace {

template <class T>
const loops::PoolingOf<T>& pooling_loops() {
  return part_of<T>(WT_LOOPS(loops::pooling));
}

loops::Pooling geometry(const TensorSpec& x, const Attributes& attributes) {
  const SlidingWindow window = slide("pooling", x, attributes_as<WindowAttributes>(attributes));
  return {.height = window.height.input,
          .width = window.width.input,
          .channels = x.shape[3],
          .out_height = window.height.output,
          .out_width = window.width.output,
          .window_height = window.height.window,
          .window_width = window.width.window,
          .stride_y = window.height.stride,
          .stride_x = window.width.stride,
          .pad_top = window.height.padding_before,
          .pad_left = window.width.padding_before};
}

std::int64_t image_elements(const TensorSpec& spec) { return spec.shape.elements(1, 4); }

// The forward passes. A tile is a band of rows of y.
template <class T>
void pool(const Numbers& numbers, device::Workers& workers,
          void (*loop)(const loops::Pooling&, const T*, T*, std::int64_t, std::int64_t)) {
  const View& x = numbers.inputs[0];
  const View& y = numbers.outputs[0];
  const loops::Pooling p = geometry(x.spec, numbers.attributes);
  const std::int64_t band = rows_per_tile(p.out_width * p.channels * p.window_height * p.window_width);
  const std::int64_t bands = ceiling(p.out_height, band);
  workers.run(x.spec.shape[0] * bands, [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t image = tile / bands;
    const std::int64_t begin = tile % bands * band;
    loop(p, x.as<T>() + image * image_elements(x.spec), y.as<T>() + image * image_elements(y.spec), begin,
         std::min(begin + band, p.out_height));
  });
}

}  // namespace

void max_pool(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    pool<T>(numbers, workers, pooling_loops<T>().max);
  });
}

void average_pool(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    pool<T>(numbers, workers, pooling_loops<T>().average);
  });
}

// In the backward passes a tile is a whole image, since windows may overlap.
void max_pool_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const TensorSpec& x = numbers.inputs[0].spec;
    const loops::Pooling p = geometry(x, numbers.attributes);
    const std::int64_t pooled = image_elements(numbers.inputs[1].spec);
    workers.run(x.shape[0], [&](std::int64_t image, std::span<std::byte>) {
      const std::int64_t in = image * image_elements(x);
      const std::int64_t out = image * pooled;
      pooling_loops<T>().max_gradient(p, numbers.inputs[0].as<T>() + in, numbers.inputs[1].as<T>() + out,
                                      numbers.inputs[2].as<T>() + out, numbers.outputs[0].as<T>() + in);
    });
  });
}

void average_pool_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const View& dy = numbers.inputs[0];
    const View& dx = numbers.outputs[0];
    const loops::Pooling p = geometry(dx.spec, numbers.attributes);
    workers.run(dx.spec.shape[0], [&](std::int64_t image, std::span<std::byte>) {
      pooling_loops<T>().average_gradient(p, dy.as<T>() + image * image_elements(dy.spec),
                                          dx.as<T>() + image * image_elements(dx.spec));
    });
  });
}

}  // namespace wt::cpu
