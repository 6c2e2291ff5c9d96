#include <cudnn.h>

#include <algorithm>
#include <limits>

#include "emulation/convolution.h"
#include "emulation/library.h"

struct cudnnContext final : wt::emulation::LibraryHandle {};
struct cudnnTensorStruct final : wt::emulation::ImageShape {};
struct cudnnFilterStruct final : wt::emulation::ImageShape {};
struct cudnnConvolutionStruct final : wt::emulation::Convolution {};

namespace wt::emulation {
namespace {

// ---- What is described

// Float32, the channels last; this program has no others.
cudnnStatus_t describe(ImageShape& shape, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c,
                       int h, int w) {
  if (std::min({n, c, h, w}) <= 0) return CUDNN_STATUS_BAD_PARAM;
  if (format != CUDNN_TENSOR_NHWC || type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
  shape = {n, c, h, w};
  return CUDNN_STATUS_SUCCESS;
}

Convolution described(const ImageShape& x, const ImageShape& filter, const Convolution& window,
                      const ImageShape& y) {
  Convolution convolution = window;
  convolution.x = x;
  convolution.filter = filter;
  convolution.y = y;
  return convolution;
}

// ---- What is proposed

enum class Way { usual, without_groups, transforms, changes_bits, is_missing };

// Ways come the fastest first. Some need room for indices that they compute first; `without_groups` says so only when it
// runs.
template <class Algorithm>
struct Candidate {
  Algorithm algorithm;
  Way way;
  bool precomputes;
};

constexpr Candidate<cudnnConvolutionFwdAlgo_t> ways_forward[] = {
    {CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, Way::transforms, true},
    {CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, Way::is_missing, false},
    {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, Way::without_groups, true},
    {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, Way::usual, false}};
constexpr Candidate<cudnnConvolutionBwdDataAlgo_t> ways_backward_data[] = {
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, Way::changes_bits, false},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD, Way::transforms, true},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, Way::usual, true}};
constexpr Candidate<cudnnConvolutionBwdFilterAlgo_t> ways_backward_filter[] = {
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, Way::changes_bits, false},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING, Way::transforms, true},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, Way::usual, true}};

std::size_t workspace_of(const Convolution& c, bool precomputes) {
  return precomputes ? sizeof(float) * static_cast<std::size_t>(c.filter.h * c.filter.w * c.y.h) : 0;
}

template <class Algorithm, std::size_t count>
cudnnStatus_t propose(const Candidate<Algorithm> (&ways)[count], const Convolution& c, int most,
                      int* returned, cudnnConvolutionAlgoPerf<Algorithm>* proposals) {
  if (!c.is_consistent()) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  *returned = machine().description().has_convolutions ? std::min(most, static_cast<int>(count)) : 0;
  for (int i = 0; i < *returned; ++i)
    proposals[i] = {
        .algo = ways[i].algorithm,
        .status = ways[i].way == Way::is_missing ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS,
        .time = static_cast<float>(i + 1),
        .memory = workspace_of(c, ways[i].precomputes),
        .determinism = ways[i].way == Way::changes_bits ? CUDNN_NON_DETERMINISTIC : CUDNN_DETERMINISTIC,
        .mathType = CUDNN_DEFAULT_MATH};
  return CUDNN_STATUS_SUCCESS;
}

// ---- What is done

using Pass = void (*)(const Convolution& c, const float* first, const float* second, float* result);

struct Operand {
  const void* data = nullptr;
  const ImageShape& shape;
  Touch touch() const { return {data, static_cast<std::size_t>(shape.elements()) * sizeof(float)}; }
};

template <class Algorithm, std::size_t count>
cudnnStatus_t run(const Candidate<Algorithm> (&ways)[count], Algorithm algorithm, cudnnHandle_t handle,
                  const Convolution& c, Pass pass, const void* alpha, const Operand& first,
                  const Operand& second, const void* beta, const Operand& result,
                  std::span<std::byte> workspace) {
  const auto* way = std::ranges::find(ways, algorithm, &Candidate<Algorithm>::algorithm);
  if (way == std::end(ways) || way->way == Way::is_missing) return CUDNN_STATUS_NOT_SUPPORTED;
  if (way->way == Way::without_groups && c.groups > 1) return CUDNN_STATUS_NOT_SUPPORTED;
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0)
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (!c.is_consistent()) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  const std::size_t needed = workspace_of(c, way->precomputes);
  if (workspace.size() < needed) return CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT;
  const auto stream = stream_of(*handle);
  if (stream == nullptr) return CUDNN_STATUS_EXECUTION_FAILED;
  const auto* a = static_cast<const float*>(first.data);
  const auto* b = static_cast<const float*>(second.data);
  auto* r = static_cast<float*>(const_cast<void*>(result.data));
  const cudaError_t status =
      enqueue_in_workspace(*stream, workspace.first(needed),
                           {.device = handle->device,
                            .seconds = seconds_of(result.touch().size),
                            .touches = {first.touch(), second.touch(), result.touch()},
                            .run = [=] { pass(c, a, b, r); }},
                           [=, elements = result.shape.elements()] {
                             std::fill_n(r, elements, std::numeric_limits<float>::quiet_NaN());
                           });
  return status == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

std::span<std::byte> bytes(void* workspace, std::size_t size) {
  return {static_cast<std::byte*>(workspace), size};
}

}  // namespace
}  // namespace wt::emulation

using namespace wt::emulation;

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT:
      return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH:
      return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
      break;
  }
  return "CUDNN_STATUS_EXECUTION_FAILED";
}

// It allocates, which a capture forbids.
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  const Machine& m = machine();
  if (!m.has_device(m.current)) return CUDNN_STATUS_NOT_INITIALIZED;
  if (const auto capture = m.capture_of_host()) {
    capture->invalidate(cudaErrorStreamCaptureUnsupported);
    return CUDNN_STATUS_NOT_INITIALIZED;
  }
  *handle = new cudnnContext;
  (*handle)->device = m.current;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

// ---- Descriptors

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  *tensor = new cudnnTensorStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  delete tensor;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return describe(*tensor, format, type, n, c, h, w);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
  *filter = new cudnnFilterStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  delete filter;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return describe(*filter, format, type, k, c, h, w);
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* convolution) {
  *convolution = new cudnnConvolutionStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
  delete convolution;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
  if (std::min(pad_h, pad_w) < 0 || std::min({stride_h, stride_w, dilation_h, dilation_w}) <= 0)
    return CUDNN_STATUS_BAD_PARAM;
  if (mode != CUDNN_CROSS_CORRELATION || compute != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
  convolution->pad_h = pad_h;
  convolution->pad_w = pad_w;
  convolution->stride_h = stride_h;
  convolution->stride_w = stride_w;
  convolution->dilation_h = dilation_h;
  convolution->dilation_w = dilation_w;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  convolution->groups = groups;
  return groups > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math) {
  convolution->how = math == CUDNN_FMA_MATH                          ? Multiplies::exactly
                     : math == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION ? Multiplies::float16
                                                                     : Multiplies::tf32;
  return CUDNN_STATUS_SUCCESS;
}

// ---- Convolutions

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t convolution,
                                                     cudnnTensorDescriptor_t y, int most, int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* proposals) {
  return propose(ways_forward, described(*x, *w, *convolution, *y), most, count, proposals);
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x,
                                      const void* x_data, cudnnFilterDescriptor_t w, const void* w_data,
                                      cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace, std::size_t size,
                                      const void* beta, cudnnTensorDescriptor_t y, void* y_data) {
  return run(ways_forward, algorithm, handle, described(*x, *w, *convolution, *y), convolve_forward, alpha,
             {x_data, *x}, {w_data, *w}, beta, {y_data, *y}, bytes(workspace, size));
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, cudnnFilterDescriptor_t w,
                                                          cudnnTensorDescriptor_t dy,
                                                          cudnnConvolutionDescriptor_t convolution,
                                                          cudnnTensorDescriptor_t dx, int most, int* count,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* proposals) {
  return propose(ways_backward_data, described(*dx, *w, *convolution, *dy), most, count, proposals);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t w,
                                           const void* w_data, cudnnTensorDescriptor_t dy,
                                           const void* dy_data, cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t size, const void* beta, cudnnTensorDescriptor_t dx,
                                           void* dx_data) {
  return run(ways_backward_data, algorithm, handle, described(*dx, *w, *convolution, *dy),
             convolve_backward_data, alpha, {w_data, *w}, {dy_data, *dy}, beta, {dx_data, *dx},
             bytes(workspace, size));
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                            cudnnTensorDescriptor_t dy,
                                                            cudnnConvolutionDescriptor_t convolution,
                                                            cudnnFilterDescriptor_t dw, int most, int* count,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* proposals) {
  return propose(ways_backward_filter, described(*x, *dw, *convolution, *dy), most, count, proposals);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             cudnnTensorDescriptor_t x, const void* x_data,
                                             cudnnTensorDescriptor_t dy, const void* dy_data,
                                             cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                             std::size_t size, const void* beta, cudnnFilterDescriptor_t dw,
                                             void* dw_data) {
  return run(ways_backward_filter, algorithm, handle, described(*x, *dw, *convolution, *dy),
             convolve_backward_filter, alpha, {x_data, *x}, {dy_data, *dy}, beta, {dw_data, *dw},
             bytes(workspace, size));
}
