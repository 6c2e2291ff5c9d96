#include "kernel/cuda/dnn.h"

#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"

namespace wt::cuda {
namespace {

using Pass = ConvolutionGeometry::Pass;

// Owns a descriptor of cuDNN.
template <class Descriptor, auto create, auto destroy>
struct Described {
  explicit Described(const device::CudaDevice& device) {
    device::check(create(&descriptor), "describe a convolution", device);
  }
  ~Described() { destroy(descriptor); }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  Descriptor descriptor = nullptr;
};
using TensorDescriptor =
    Described<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    Described<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using WindowDescriptor = Described<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                                   cudnnDestroyConvolutionDescriptor>;

// float32 is computed without rounding the operands. TF32 is cuDNN's default. cuDNN has no bfloat16 for
// float32 operands, so bfloat16 is computed in TF32, which is finer.
cudnnMathType_t math_of(device::Precision precision) {
  switch (precision) {
    case device::Precision::float32:
      break;
    case device::Precision::tf32:
    case device::Precision::bfloat16:
      return CUDNN_DEFAULT_MATH;
    case device::Precision::float16:
      return CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  }
  return CUDNN_FMA_MATH;
}

// All descriptors of a convolution.
struct Description {
  TensorDescriptor x, y;
  FilterDescriptor filter;
  WindowDescriptor window;

  Description(const DnnConvolution& c, device::CudaQueue& queue)
      : x(queue.device()), y(queue.device()), filter(queue.device()), window(queue.device()) {
    const auto check = [&](cudnnStatus_t status) {
      device::check(status, "describe a convolution", queue.device());
    };
    const auto count = [](Index extent) { return narrow<int>(extent); };
    const auto describe = [&](const TensorDescriptor& to, const Shape& s) {
      check(cudnnSetTensor4dDescriptor(to.descriptor, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, count(s[0]),
                                       count(s[3]), count(s[1]), count(s[2])));
    };
    describe(x, c.shapes.x);
    describe(y, c.shapes.y);
    const Shape& f = c.shapes.filter;
    check(cudnnSetFilter4dDescriptor(filter.descriptor, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NHWC, count(f[3]),
                                     count(f[2]), count(f[0]), count(f[1])));
    check(cudnnSetConvolution2dDescriptor(window.descriptor, count(c.height.padding), count(c.width.padding),
                                          count(c.height.stride), count(c.width.stride),
                                          count(c.height.dilation), count(c.width.dilation),
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    check(cudnnSetConvolutionGroupCount(window.descriptor, count(c.groups)));
    check(cudnnSetConvolutionMathType(window.descriptor, math_of(queue.precision())));
  }
};

// cuDNN's functions for a pass, under names that are the same for all passes. `propose` returns algorithms
// with the fastest first. `plain` lists those that are sums of products. The others transform the operands
// (Fourier, Winograd) and are left out, since they round more coarsely.
template <Pass pass>
struct Ways;

template <>
struct Ways<Pass::forward> {
  using Proposal = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr std::array plain{CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                    CUDNN_CONVOLUTION_FWD_ALGO_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT};
  static cudnnStatus_t propose(cudnnHandle_t dnn, const Description& d, int most, int* count,
                               Proposal* proposals) {
    return cudnnGetConvolutionForwardAlgorithm_v7(dnn, d.x.descriptor, d.filter.descriptor,
                                                  d.window.descriptor, d.y.descriptor, most, count,
                                                  proposals);
  }
  static cudnnStatus_t run(cudnnHandle_t dnn, const Description& d, const Proposal& way, const float* x,
                           const float* filter, float* y, std::span<std::byte> workspace) {
    const float one = 1, nothing = 0;
    return cudnnConvolutionForward(dnn, &one, d.x.descriptor, x, d.filter.descriptor, filter,
                                   d.window.descriptor, way.algo, workspace.data(), workspace.size(),
                                   &nothing, d.y.descriptor, y);
  }
};

template <>
struct Ways<Pass::input_gradient> {
  using Proposal = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr std::array plain{CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1};
  static cudnnStatus_t propose(cudnnHandle_t dnn, const Description& d, int most, int* count,
                               Proposal* proposals) {
    return cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn, d.filter.descriptor, d.y.descriptor,
                                                       d.window.descriptor, d.x.descriptor, most, count,
                                                       proposals);
  }
  static cudnnStatus_t run(cudnnHandle_t dnn, const Description& d, const Proposal& way, const float* filter,
                           const float* dy, float* dx, std::span<std::byte> workspace) {
    const float one = 1, nothing = 0;
    return cudnnConvolutionBackwardData(dnn, &one, d.filter.descriptor, filter, d.y.descriptor, dy,
                                        d.window.descriptor, way.algo, workspace.data(), workspace.size(),
                                        &nothing, d.x.descriptor, dx);
  }
};

template <>
struct Ways<Pass::filter_gradient> {
  using Proposal = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr std::array plain{CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                                    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3};
  static cudnnStatus_t propose(cudnnHandle_t dnn, const Description& d, int most, int* count,
                               Proposal* proposals) {
    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn, d.x.descriptor, d.y.descriptor,
                                                         d.window.descriptor, d.filter.descriptor, most,
                                                         count, proposals);
  }
  static cudnnStatus_t run(cudnnHandle_t dnn, const Description& d, const Proposal& way, const float* x,
                           const float* dy, float* dfilter, std::span<std::byte> workspace) {
    const float one = 1, nothing = 0;
    return cudnnConvolutionBackwardFilter(dnn, &one, d.x.descriptor, x, d.y.descriptor, dy,
                                          d.window.descriptor, way.algo, workspace.data(), workspace.size(),
                                          &nothing, d.filter.descriptor, dfilter);
  }
};

// Whether cuDNN does not offer a proposed algorithm after all.
bool is_refusal(cudnnStatus_t status) {
  return status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_INTERNAL_ERROR;
}

template <Pass pass>
bool is_usable(const typename Ways<pass>::Proposal& way, std::size_t workspace) {
  const auto& plain = Ways<pass>::plain;
  return way.status == CUDNN_STATUS_SUCCESS && way.determinism == CUDNN_DETERMINISTIC &&
         way.memory <= workspace && std::find(plain.begin(), plain.end(), way.algo) != plain.end();
}

template <Pass pass>
bool convolve(const DnnConvolution& c, const float* first, const float* second, float* result,
              std::span<std::byte> workspace, device::CudaQueue& queue) {
  const Description described(c, queue);
  std::array<typename Ways<pass>::Proposal, 16> proposals{};
  int count = 0;
  if (Ways<pass>::propose(queue.dnn(), described, narrow<int>(proposals.size()), &count, proposals.data()) !=
      CUDNN_STATUS_SUCCESS)
    return false;
  for (const auto& way : std::span(proposals).first(static_cast<std::size_t>(count))) {
    if (!is_usable<pass>(way, workspace.size())) continue;
    const cudnnStatus_t status =
        Ways<pass>::run(queue.dnn(), described, way, first, second, result, workspace.first(way.memory));
    if (is_refusal(status)) continue;
    device::check(status, "convolve", queue.device());
    return true;
  }
  return false;
}

}  // namespace

bool convolve_by_dnn(const DnnConvolution& c, const float* first, const float* second, float* result,
                     std::span<std::byte> workspace, device::CudaQueue& queue) {
  switch (c.pass) {
    case Pass::forward:
      return convolve<Pass::forward>(c, first, second, result, workspace, queue);
    case Pass::input_gradient:
      return convolve<Pass::input_gradient>(c, first, second, result, workspace, queue);
    case Pass::filter_gradient:
      break;
  }
  return convolve<Pass::filter_gradient>(c, first, second, result, workspace, queue);
}

}  // namespace wt::cuda
