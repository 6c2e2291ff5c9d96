#pragma once

#include "kernel/cuda/table.h"

namespace wt::cuda {

// How the matrices of a batch are stored. The elements of a stored row are contiguous, and distances are in
// elements.
struct MatrixLayout {
  std::int64_t row = 0;     // from a row to the next
  std::int64_t matrix = 0;  // from a matrix to the next
  bool transposed = false;  // the transposed matrix is stored
};

// c[m, n] = a[m, k] b[k, n], for all matrices of a batch.
struct Product {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  MatrixLayout a{}, b{}, c{};
  bool adds = false;  // adds the product to c instead of replacing c
};

// Enqueues a product of cuBLAS. T is float or double; floats are multiplied in the queue's precision.
template <class T>
void multiply(const Product& product, const T* a, const T* b, T* c, device::CudaQueue& queue);

void matmul(const Numbers& numbers, device::CudaQueue& queue);

}  // namespace wt::cuda
