#include "kernel/cuda/kernels.h"

#include "kernel/cuda/dnn.h"
#include "kernel/cuda/each.cuh"
#include "kernel/cuda/matrix.h"
#include "kernel/cuda/patches.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

using Pass = ConvolutionGeometry::Pass;

struct Problem {
  ConvolutionShapes shapes{};
  Patches patches{};  // of the images that are computed at a time
  Index images = 0, out_channels = 0;
};

Problem problem_of(Pass pass, const TensorSpec& first, const TensorSpec& second, const TensorSpec& result,
                   const Attributes& attributes) {
  const auto& window = attributes_as<WindowAttributes>(attributes);
  const ConvolutionShapes shapes = convolution_shapes(pass, first.shape, second.shape, result.shape);
  const SlidingWindow place = slide("conv2d", {first.type, shapes.x}, window);
  Problem problem{shapes,
                  {axis_of(place.height), axis_of(place.width), shapes.x[3], window.groups, 1},
                  shapes.x[0],
                  shapes.filter[3]};
  problem.patches.images = images_at_once(problem.patches, problem.images, bytes_per_element(first.type));
  return problem;
}

// Writes the matrix of patches of some images.
template <class T>
void lay_out(const Patches& patches, const T* x, T* rows, device::CudaQueue& queue) {
  for_each(queue, patches.elements(), [=] __device__(Index i) {
    const Index source = patches.source(i);
    rows[i] = source >= 0 ? x[source] : T{0};
  });
}

// The reverse of lay_out: every pixel adds up the elements of the matrix that hold it.
template <class T>
void gather(const Patches& patches, const T* rows, T* x, device::CudaQueue& queue) {
  for_each(queue, patches.pixels(), [=] __device__(Index i) {
    T sum = 0;
    patches.visit(i, [&](Index element) { sum += rows[element]; });
    x[i] = sum;
  });
}

// The layouts of the three matrices. patches [rows, columns] times filter [columns, d] is y [rows, d], and
// each pass computes another one of the three.
struct Layouts {
  MatrixLayout patches{}, filter{}, y{};
};

Layouts layouts_of(const Problem& p) {
  const Index of_group = p.out_channels / p.patches.groups;
  return {{p.patches.columns(), p.patches.rows() * p.patches.columns(), false},
          {p.out_channels, of_group, false},
          {p.out_channels, of_group, false}};
}

MatrixLayout transposed(MatrixLayout layout) {
  layout.transposed = true;
  return layout;
}

template <class T>
void forward(const Problem& p, const T* x, const T* filter, T* y, T* rows, device::CudaQueue& queue) {
  if (!p.patches.are_images()) lay_out(p.patches, x, rows, queue);
  const Layouts l = layouts_of(p);
  const Product product{p.patches.groups,
                        p.patches.rows(),
                        p.out_channels / p.patches.groups,
                        p.patches.columns(),
                        l.patches,
                        l.filter,
                        l.y};
  multiply<T>(product, p.patches.are_images() ? x : rows, filter, y, queue);
}

template <class T>
void input_gradient(const Problem& p, const T* filter, const T* dy, T* dx, T* rows,
                    device::CudaQueue& queue) {
  const Layouts l = layouts_of(p);
  const Product product{
      p.patches.groups,     p.patches.rows(), p.patches.columns(), p.out_channels / p.patches.groups, l.y,
      transposed(l.filter), l.patches};
  multiply<T>(product, dy, filter, p.patches.are_images() ? dx : rows, queue);
  if (!p.patches.are_images()) gather(p.patches, rows, dx, queue);
}

// `adds` is set for all images but the first, whose gradients are added up.
template <class T>
void filter_gradient(const Problem& p, const T* x, const T* dy, T* dfilter, T* rows, bool adds,
                     device::CudaQueue& queue) {
  if (!p.patches.are_images()) lay_out(p.patches, x, rows, queue);
  const Layouts l = layouts_of(p);
  const Product product{p.patches.groups,
                        p.patches.columns(),
                        p.out_channels / p.patches.groups,
                        p.patches.rows(),
                        transposed(l.patches),
                        l.y,
                        l.filter,
                        adds};
  multiply<T>(product, p.patches.are_images() ? x : rows, dy, dfilter, queue);
}

// cuDNN takes the filter with d as its first axis, and the kernels here have it as the last. Transposing the
// filter as a matrix converts one into the other.
void reorder(const float* from, float* to, Index rows, Index columns, device::CudaQueue& queue) {
  for_each(queue, rows * columns, [=] __device__(Index i) { to[i] = from[i % rows * columns + i / rows]; });
}

// The size of the reordered filter, which is at the begin of the workspace.
Index filter_bytes(const Problem& p) { return ceiling(p.shapes.filter.elements() * 4, 256) * 256; }

template <Pass pass>
bool by_dnn(const Problem& p, const Numbers& numbers, device::CudaQueue& queue) {
  const DnnConvolution convolution{pass, p.shapes, p.patches.height, p.patches.width, p.patches.groups};
  if (!suits_dnn(convolution)) return false;
  const float *first = numbers.inputs[0].as<float>(), *second = numbers.inputs[1].as<float>();
  float *result = numbers.outputs[0].as<float>(),
        *filter = reinterpret_cast<float*>(numbers.workspace.data());
  const auto rest = numbers.workspace.subspan(static_cast<std::size_t>(filter_bytes(p)));
  const Index rows = p.patches.columns(), columns = p.out_channels;
  if constexpr (pass == Pass::forward) reorder(second, filter, rows, columns, queue);
  if constexpr (pass == Pass::input_gradient) reorder(first, filter, rows, columns, queue);
  const bool is_done = convolve_by_dnn(convolution, pass == Pass::input_gradient ? filter : first,
                                       pass == Pass::forward ? filter : second,
                                       pass == Pass::filter_gradient ? filter : result, rest, queue);
  if (is_done && pass == Pass::filter_gradient) reorder(filter, result, columns, rows, queue);
  return is_done;
}

template <Pass pass, class T>
void convolve(Problem p, const Numbers& numbers, device::CudaQueue& queue) {
  const T *first = numbers.inputs[0].as<T>(), *second = numbers.inputs[1].as<T>();
  T* result = numbers.outputs[0].as<T>();
  T* rows = reinterpret_cast<T*>(numbers.workspace.data());
  if constexpr (std::is_same_v<T, float>)
    if (!p.patches.are_images() && by_dnn<pass>(p, numbers, queue)) return;
  const Index image = p.shapes.x.elements(1, 4), out_image = p.shapes.y.elements(1, 4);
  const Index at_once = p.patches.images;
  for (Index begin = 0; begin == 0 || begin < p.images; begin += at_once) {
    p.patches.images = std::min(at_once, p.images - begin);
    const Index x = begin * image, y = begin * out_image;
    if constexpr (pass == Pass::forward) forward(p, first + x, second, result + y, rows, queue);
    if constexpr (pass == Pass::input_gradient) input_gradient(p, first, second + y, result + x, rows, queue);
    if constexpr (pass == Pass::filter_gradient)
      filter_gradient(p, first + x, second + y, result, rows, begin > 0, queue);
  }
}

}  // namespace

template <Pass pass>
void convolution(const Numbers& numbers, device::CudaQueue& queue) {
  const Problem problem = problem_of(pass, numbers.inputs[0].spec, numbers.inputs[1].spec,
                                     numbers.outputs[0].spec, numbers.attributes);
  with_floating(numbers.outputs[0].spec.type,
                [&](auto zero) { convolve<pass, decltype(zero)>(problem, numbers, queue); });
}

template <Pass pass>
Bytes convolution_workspace(const Call& call) {
  const Problem problem = problem_of(pass, call.inputs[0], call.inputs[1], call.outputs[0], call.attributes);
  if (problem.patches.are_images()) return Bytes(0);
  return Bytes(filter_bytes(problem) + problem.patches.elements() * bytes_per_element(call.outputs[0].type));
}

template void convolution<Pass::forward>(const Numbers&, device::CudaQueue&);
template void convolution<Pass::input_gradient>(const Numbers&, device::CudaQueue&);
template void convolution<Pass::filter_gradient>(const Numbers&, device::CudaQueue&);
template Bytes convolution_workspace<Pass::forward>(const Call&);
template Bytes convolution_workspace<Pass::input_gradient>(const Call&);
template Bytes convolution_workspace<Pass::filter_gradient>(const Call&);

}  // namespace wt::cuda
