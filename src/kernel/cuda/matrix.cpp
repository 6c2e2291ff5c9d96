#include "kernel/cuda/matrix.h"

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "kernel/matrix.h"
#include "kernel/types.h"

namespace wt::cuda {
namespace {

// float32 does not round the operands. The other precisions round them, multiply on the matrix units and add
// in float32.
cublasComputeType_t compute_type(device::Precision precision) {
  switch (precision) {
    case device::Precision::float32:
      break;
    case device::Precision::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case device::Precision::float16:
      return CUBLAS_COMPUTE_32F_FAST_16F;
    case device::Precision::bfloat16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
  }
  return CUBLAS_COMPUTE_32F;
}

cublasOperation_t operation(const MatrixLayout& layout) {
  return layout.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

void clear(const Product& p, void* c, std::size_t element, device::CudaQueue& queue) {
  const auto pitch = static_cast<std::size_t>(p.c.row) * element,
             width = static_cast<std::size_t>(p.n) * element;
  for (std::int64_t matrix = 0; matrix < p.batch; ++matrix)
    device::check(cudaMemset2DAsync(
                      static_cast<std::byte*>(c) + static_cast<std::size_t>(matrix * p.c.matrix) * element,
                      pitch, 0, width, static_cast<std::size_t>(p.m), queue.stream()),
                  "clear a product of nothing", queue.device());
}

template <class T>
void multiply_with(const Product& p, const T* a, const T* b, T* c, cudaDataType_t type,
                   cublasComputeType_t compute, device::CudaQueue& queue) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  if (p.k == 0) {
    if (!p.adds) clear(p, c, sizeof(T), queue);
    return;
  }
  // cuBLAS expects columns to be contiguous and so sees every matrix transposed. This computes c^T = b^T a^T.
  const T one = 1, before = p.adds ? T{1} : T{0};
  device::check(
      cublasGemmStridedBatchedEx_64(queue.blas(), operation(p.b), operation(p.a), p.n, p.m, p.k, &one, b,
                                    type, p.b.row, p.b.matrix, a, type, p.a.row, p.a.matrix, &before, c, type,
                                    p.c.row, p.c.matrix, p.batch, compute, CUBLAS_GEMM_DEFAULT),
      "multiply matrices", queue.device());
}

}  // namespace

template <>
void multiply(const Product& product, const float* a, const float* b, float* c, device::CudaQueue& queue) {
  multiply_with(product, a, b, c, CUDA_R_32F, compute_type(queue.precision()), queue);
}

template <>
void multiply(const Product& product, const double* a, const double* b, double* c, device::CudaQueue& queue) {
  multiply_with(product, a, b, c, CUDA_R_64F, CUBLAS_COMPUTE_64F, queue);
}

void matmul(const Numbers& numbers, device::CudaQueue& queue) {
  const View &a = numbers.inputs[0], &b = numbers.inputs[1], &c = numbers.outputs[0];
  const auto& attributes = attributes_as<ProductAttributes>(numbers.attributes);
  const ProductGeometry g = product_geometry(a.spec.shape, b.spec.shape, numbers.attributes);
  const Product product{.batch = g.batch,
                        .m = g.m,
                        .n = g.n,
                        .k = g.k,
                        .a = {attributes.transpose_a ? g.m : g.k, g.m * g.k, attributes.transpose_a},
                        .b = {attributes.transpose_b ? g.k : g.n, g.k * g.n, attributes.transpose_b},
                        .c = {g.n, g.m * g.n, false}};
  with_floating(c.spec.type, [&](auto zero) {
    using T = decltype(zero);
    multiply<T>(product, a.as<T>(), b.as<T>(), c.as<T>(), queue);
  });
}

}  // namespace wt::cuda
