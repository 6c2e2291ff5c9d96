#include <algorithm>
#include <cstring>

#include "device/cuda/cuda_queue.h"
#include "kernel/cuda/dnn.h"

namespace {

// A matrix as cuBLAS sees it: column after column.
template <class T>
struct Matrix {
  const T* data;
  std::int64_t column;
  bool transposed;
  double at(std::int64_t row, std::int64_t col) const {
    return static_cast<double>(transposed ? data[row * column + col] : data[col * column + row]);
  }
};

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b,
              T beta, T* c, std::int64_t c_column) {
  for (std::int64_t col = 0; col < n; ++col)
    for (std::int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += a.at(row, i) * b.at(i, col);
      T& result = c[col * c_column + row];
      const double before = beta == T{0} ? 0 : static_cast<double>(beta) * static_cast<double>(result);
      result = static_cast<T>(static_cast<double>(alpha) * sum + before);
    }
}

}  // namespace

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType_t a_type,
    std::int64_t a_column, std::int64_t a_matrix, const void* b, cudaDataType_t b_type, std::int64_t b_column,
    std::int64_t b_matrix, const void* beta, void* c, cudaDataType_t c_type, std::int64_t c_column,
    std::int64_t c_matrix, std::int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
  *handle = compute;
  const bool a_fits = a_column >= (transpose_a == CUBLAS_OP_N ? m : k);
  const bool b_fits = b_column >= (transpose_b == CUBLAS_OP_N ? k : n);
  const bool types_agree = a_type == b_type && b_type == c_type;
  const bool computes = (a_type == CUDA_R_64F) == (compute == CUBLAS_COMPUTE_64F);
  if (!a_fits || !b_fits || c_column < m || !types_agree || !computes) return CUBLAS_STATUS_INVALID_VALUE;
  const auto multiply_all = [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < batch; ++i)
      multiply<T>(m, n, k, *static_cast<const T*>(alpha),
                  {static_cast<const T*>(a) + i * a_matrix, a_column, transpose_a == CUBLAS_OP_T},
                  {static_cast<const T*>(b) + i * b_matrix, b_column, transpose_b == CUBLAS_OP_T},
                  *static_cast<const T*>(beta), static_cast<T*>(c) + i * c_matrix, c_column);
  };
  a_type == CUDA_R_64F ? multiply_all(double{}) : multiply_all(float{});
  return CUBLAS_STATUS_SUCCESS;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t) {
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                width);
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t) {
  for (std::size_t row = 0; row < height; ++row)
    std::memset(static_cast<char*>(to) + row * pitch, value, width);
  return cudaSuccess;
}

namespace wt::cuda {
namespace {

// f(x, filter, y): the places of the three numbers that each multiplication joins, the filter stored with d first.
template <class F>
void visit_terms(const DnnConvolution& c, F&& f) {
  const Shape &x = c.shapes.x, &filter = c.shapes.filter, &y = c.shapes.y;
  for (Index output = 0; output < y.elements(); ++output) {
    const ImagePlace at = image_place(output, y[1], y[2], y[3]);
    for (Index tap = 0; tap < filter.elements(0, 3); ++tap) {
      const Index channel = tap % filter[2], j = tap / filter[2] % filter[1], i = tap / filter[2] / filter[1];
      const Index row = c.height.pixel(at.row, i), column = c.width.pixel(at.column, j);
      if (!c.height.has(row) || !c.width.has(column)) continue;
      const Index group = at.channel / (y[3] / c.groups);
      f(((at.image * x[1] + row) * x[2] + column) * x[3] + group * filter[2] + channel,
        at.channel * filter.elements(0, 3) + tap, output);
    }
  }
}

}  // namespace

bool convolve_by_dnn(const DnnConvolution& c, const float* first, const float* second, float* result,
                     std::span<std::byte>, device::CudaQueue& queue) {
  using Pass = ConvolutionGeometry::Pass;
  if (!queue.has_dnn) return false;
  const Shape& shape = c.pass == Pass::forward          ? c.shapes.y
                       : c.pass == Pass::input_gradient ? c.shapes.x
                                                        : c.shapes.filter;
  std::fill_n(result, shape.elements(), 0.0F);
  visit_terms(c, [&](Index x, Index filter, Index y) {
    if (c.pass == Pass::forward) result[y] += first[x] * second[filter];
    if (c.pass == Pass::input_gradient) result[x] += first[filter] * second[y];
    if (c.pass == Pass::filter_gradient) result[filter] += first[x] * second[y];
  });
  return true;
}

}  // namespace wt::cuda
