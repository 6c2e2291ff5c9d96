#include <cublas_v2.h>

#include <algorithm>
#include <limits>

#include "emulation/api/call.h"
#include "emulation/blas.h"
#include "emulation/library.h"
#include "emulation/rounding.h"

struct cublasContext final : wt::emulation::LibraryHandle {
  std::span<std::byte> workspace{};
  cublasComputeType_t asked_for = CUBLAS_COMPUTE_32F;
};

namespace wt::emulation {
namespace {

// Matrices of a batch, column after column.
template <class T>
struct Matrices {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0;   // as they are stored
  std::int64_t column = 0, matrix = 0;  // from one to the next

  T* at(std::int64_t which) const { return data + which * matrix; }
  Touch touch(std::int64_t batch) const {
    const std::int64_t elements = (batch - 1) * matrix + (columns - 1) * column + rows;
    return {data, static_cast<std::size_t>(elements) * sizeof(T)};
  }
};

template <class T>
struct Product {
  std::int64_t m = 0, n = 0, k = 0, batch = 0;
  Matrices<const T> a{}, b{};
  Matrices<T> c{};
  bool transposes_a = false, transposes_b = false;
  T alpha{}, beta{};
  Multiplies how{};
};

// op(a) with the numbers of a column of c side by side.
template <class T>
std::vector<double> dense(const T* data, std::int64_t column, bool is_transposed, std::int64_t rows,
                          std::int64_t columns, Multiplies how) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t col = 0; col < columns; ++col)
    for (std::int64_t row = 0; row < rows; ++row)
      all.push_back(multiplied(is_transposed ? data[row * column + col] : data[col * column + row], how));
  return all;
}

template <class T>
void multiply_one(const Product<T>& p, const T* a, const T* b, T* c) {
  const auto left = dense(a, p.a.column, p.transposes_a, p.m, p.k, p.how);
  const auto right = dense(b, p.b.column, p.transposes_b, p.k, p.n, p.how);
  std::vector<double> sums(static_cast<std::size_t>(p.m));
  for (std::int64_t col = 0; col < p.n; ++col) {
    std::ranges::fill(sums, 0.0);
    for (std::int64_t i = 0; i < p.k; ++i) {
      const double factor = right[static_cast<std::size_t>(col * p.k + i)];
      const double* column = left.data() + i * p.m;
      for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += column[row] * factor;
    }
    for (std::int64_t row = 0; row < p.m; ++row) {
      T& result = c[col * p.c.column + row];
      const double before = p.beta == T{0} ? 0 : static_cast<double>(p.beta) * static_cast<double>(result);
      result = static_cast<T>(static_cast<double>(p.alpha) * sums[static_cast<std::size_t>(row)] + before);
    }
  }
}

template <class T>
void multiply(const Product<T>& p) {
  for (std::int64_t i = 0; i < p.batch; ++i) multiply_one<T>(p, p.a.at(i), p.b.at(i), p.c.at(i));
}

template <class T>
void spoil(const Product<T>& p) {
  for (std::int64_t i = 0; i < p.batch; ++i)
    for (std::int64_t col = 0; col < p.n; ++col)
      std::fill_n(p.c.at(i) + col * p.c.column, p.m, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
cublasStatus_t enqueue(const Product<T>& p, cublasContext& handle) {
  const auto stream = stream_of(handle);
  if (stream == nullptr) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (p.m == 0 || p.n == 0 || p.batch == 0) return CUBLAS_STATUS_SUCCESS;
  Work work{.device = handle.device,
            .seconds = seconds_of(p.c.touch(p.batch).size),
            .touches = {p.c.touch(p.batch)},
            .run = [p] { multiply(p); }};
  if (p.k > 0) work.touches.insert(work.touches.end(), {p.a.touch(p.batch), p.b.touch(p.batch)});
  const cudaError_t status =
      enqueue_in_workspace(*stream, handle.workspace, std::move(work), [p] { spoil(p); });
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

Multiplies how(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return Multiplies::tf32;
    case CUBLAS_COMPUTE_32F_FAST_16F:
      return Multiplies::float16;
    case CUBLAS_COMPUTE_32F_FAST_16BF:
      return Multiplies::bfloat16;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_64F:
      break;
  }
  return Multiplies::exactly;
}

}  // namespace

cublasComputeType_t asked_for(cublasHandle_t handle) { return handle->asked_for; }

}  // namespace wt::emulation

using namespace wt::emulation;

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      break;
  }
  return "CUBLAS_STATUS_NOT_SUPPORTED";
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// It allocates, which a capture forbids.
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  const Machine& m = machine();
  if (!m.has_device(m.current)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const auto capture = m.capture_of_host()) {
    capture->invalidate(cudaErrorStreamCaptureUnsupported);
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = new cublasContext;
  (*handle)->device = m.current;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// The workspace is the library's own again.
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = {};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t size) {
  constexpr std::uintptr_t alignment = 256;
  if (reinterpret_cast<std::uintptr_t>(workspace) % alignment != 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = {static_cast<std::byte*>(workspace), size};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType_t a_type,
    std::int64_t a_column, long long a_matrix, const void* b, cudaDataType_t b_type, std::int64_t b_column,
    long long b_matrix, const void* beta, void* c, cudaDataType_t c_type, std::int64_t c_column,
    long long c_matrix, std::int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
  handle->asked_for = compute;
  const bool turns_a = transpose_a == CUBLAS_OP_T, turns_b = transpose_b == CUBLAS_OP_T;
  const std::int64_t a_rows = turns_a ? k : m, b_rows = turns_b ? n : k;
  const bool has_sizes = m >= 0 && n >= 0 && k >= 0 && batch >= 0;
  const bool fits = a_column >= std::max<std::int64_t>(a_rows, 1) &&
                    b_column >= std::max<std::int64_t>(b_rows, 1) && c_column >= std::max<std::int64_t>(m, 1);
  const bool types_agree = a_type == b_type && b_type == c_type;
  const bool computes = (a_type == CUDA_R_64F) == (compute == CUBLAS_COMPUTE_64F);
  if (!has_sizes || !fits || !types_agree || !computes) return CUBLAS_STATUS_INVALID_VALUE;
  const auto enqueue_as = [&](auto zero) {
    using T = decltype(zero);
    return enqueue<T>({.m = m,
                       .n = n,
                       .k = k,
                       .batch = batch,
                       .a = {static_cast<const T*>(a), a_rows, turns_a ? m : k, a_column, a_matrix},
                       .b = {static_cast<const T*>(b), b_rows, turns_b ? k : n, b_column, b_matrix},
                       .c = {static_cast<T*>(c), m, n, c_column, c_matrix},
                       .transposes_a = turns_a,
                       .transposes_b = turns_b,
                       .alpha = *static_cast<const T*>(alpha),
                       .beta = *static_cast<const T*>(beta),
                       .how = how(compute)},
                      *handle);
  };
  return a_type == CUDA_R_64F ? enqueue_as(double{}) : enqueue_as(float{});
}
