#include "kernel/cpu/kernels.h"

#include <algorithm>

#include "kernel/convolution.h"
#include "kernel/cpu/contraction.h"
#include "kernel/cpu/isa.h"
#include "kernel/window.h"

namespace wt::cpu {
namespace {

using Pass = ConvolutionGeometry::Pass;

constexpr loops::ConvolutionRole role_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return loops::ConvolutionRole::forward;
    case Pass::input_gradient:
      return loops::ConvolutionRole::input_gradient;
    case Pass::filter_gradient:
      break;
  }
  return loops::ConvolutionRole::filter_gradient;
}

loops::Convolution problem_of(Pass pass, const TensorSpec& first, const TensorSpec& second,
                              const TensorSpec& result, const Attributes& attributes) {
  const auto& window = attributes_as<WindowAttributes>(attributes);
  const ConvolutionShapes s = convolution_shapes(pass, first.shape, second.shape, result.shape);
  const SlidingWindow place = slide("conv2d", {first.type, s.x}, window);
  return {.batch = s.x[0],
          .height = s.x[1],
          .width = s.x[2],
          .channels = s.x[3],
          .filter_height = s.filter[0],
          .filter_width = s.filter[1],
          .out_height = s.y[1],
          .out_width = s.y[2],
          .out_channels = s.y[3],
          .stride_y = window.strides[0],
          .stride_x = window.strides[1],
          .dilation_y = window.dilation[0],
          .dilation_x = window.dilation[1],
          .pad_top = place.height.padding_before,
          .pad_left = place.width.padding_before,
          .groups = window.groups};
}

struct Range {
  std::int64_t begin = 0, end = 0;
};

// Calls f(x, filter, y) for every multiplication of some images and some pixels of the filter. The arguments
// are the offsets of the three elements that take part. All three passes are this sum, each with another
// tensor as its result.
template <class F>
void visit_terms(const loops::Convolution& p, Range images, Range pixels, F&& f) {
  const std::int64_t in_group = p.channels / p.groups;
  const std::int64_t out_group = p.out_channels / p.groups;
  for (std::int64_t image = images.begin; image < images.end; ++image)
    for (std::int64_t place = 0; place < p.out_height * p.out_width; ++place)
      for (std::int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
        const std::int64_t row =
            place / p.out_width * p.stride_y + pixel / p.filter_width * p.dilation_y - p.pad_top;
        const std::int64_t column =
            place % p.out_width * p.stride_x + pixel % p.filter_width * p.dilation_x - p.pad_left;
        if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
        const std::int64_t x = ((image * p.height + row) * p.width + column) * p.channels;
        const std::int64_t y = (image * p.out_height * p.out_width + place) * p.out_channels;
        for (std::int64_t c = 0; c < p.channels; ++c) {
          const std::int64_t first = c / in_group * out_group;
          const std::int64_t filter = (pixel * in_group + c % in_group) * p.out_channels;
          for (std::int64_t d = first; d < first + out_group; ++d) f(x + c, filter + d, y + d);
        }
      }
}

// float64 is meant for checks, so its loops are plain. The results of two tiles do not overlap: a tile
// is an image or, for the gradient of the filter, a pixel of the filter.
void convolution_float64(const loops::Convolution& p, Pass pass, const Numbers& numbers,
                         device::Workers& workers) {
  const double *first = numbers.inputs[0].as<double>(), *second = numbers.inputs[1].as<double>();
  double* result = numbers.outputs[0].as<double>();
  const std::int64_t pixels = p.filter_height * p.filter_width;
  const bool by_image = pass != Pass::filter_gradient;
  const std::int64_t tiles = by_image ? p.batch : pixels;
  const std::int64_t size = numbers.outputs[0].spec.elements() / std::max<std::int64_t>(1, tiles);
  workers.run(tiles, [&](std::int64_t tile, std::span<std::byte>) {
    std::fill_n(result + tile * size, size, 0.0);
    const Range images = by_image ? Range{tile, tile + 1} : Range{0, p.batch};
    const Range of_filter = by_image ? Range{0, pixels} : Range{tile, tile + 1};
    visit_terms(p, images, of_filter, [=](std::int64_t x, std::int64_t filter, std::int64_t y) {
      if (pass == Pass::forward) result[y] += first[x] * second[filter];
      if (pass == Pass::input_gradient) result[x] += first[filter] * second[y];
      if (pass == Pass::filter_gradient) result[filter] += first[x] * second[y];
    });
  });
}

// The operands in the order of the loops, which in the gradient to the input is dy, filter. The kernel's
// order is filter, dy.
loops::Operands operands_of(Pass pass, const Numbers& numbers) {
  const bool swapped = pass == Pass::input_gradient;
  return {numbers.inputs[swapped ? 1 : 0].as<float>(), numbers.inputs[swapped ? 0 : 1].as<float>(),
          numbers.outputs[0].as<float>()};
}

}  // namespace

template <Pass pass>
void convolution(const Numbers& numbers, device::Workers& workers) {
  const loops::Convolution problem = problem_of(pass, numbers.inputs[0].spec, numbers.inputs[1].spec,
                                                numbers.outputs[0].spec, numbers.attributes);
  if (numbers.outputs[0].spec.type == Type::float64)
    return convolution_float64(problem, pass, numbers, workers);
  const loops::Contraction& contraction = WT_LOOPS(loops::contraction);
  const loops::Operands operands = operands_of(pass, numbers);
  const loops::ConvolutionRole role = role_of(pass);
  run_phases(
      workers, contraction.convolution_work(problem, role), [&](int phase, std::int64_t tile, void* scratch) {
        contraction.convolution_tile(problem, role, phase, tile, operands, numbers.workspace.data(), scratch);
      });
}

template <Pass pass>
Bytes convolution_workspace(const Call& call) {
  if (call.outputs[0].type == Type::float64) return Bytes(0);
  const loops::Convolution problem =
      problem_of(pass, call.inputs[0], call.inputs[1], call.outputs[0], call.attributes);
  return Bytes(WT_LOOPS(loops::contraction).convolution_work(problem, role_of(pass)).workspace_bytes);
}

template void convolution<Pass::forward>(const Numbers&, device::Workers&);
template void convolution<Pass::input_gradient>(const Numbers&, device::Workers&);
template void convolution<Pass::filter_gradient>(const Numbers&, device::Workers&);
template Bytes convolution_workspace<Pass::forward>(const Call&);
template Bytes convolution_workspace<Pass::input_gradient>(const Call&);
template Bytes convolution_workspace<Pass::filter_gradient>(const Call&);

}  // namespace wt::cpu
