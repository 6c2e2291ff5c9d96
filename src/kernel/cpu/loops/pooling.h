#pragma once

#include <cstdint>

namespace wt::loops {

// One image [height, width, channels] and the window that slides over it.
struct Pooling {
  std::int64_t height = 0, width = 0, channels = 0;
  std::int64_t out_height = 0, out_width = 0;
  std::int64_t window_height = 1, window_width = 1;
  std::int64_t stride_y = 1, stride_x = 1;
  std::int64_t pad_top = 0, pad_left = 0;
};

// x and dx are one image, y and dy its pooled image. The forward passes write rows [begin, end) of y.
template <class T>
struct PoolingOf {
  void (*max)(const Pooling&, const T* x, T* y, std::int64_t begin, std::int64_t end);
  void (*average)(const Pooling&, const T* x, T* y, std::int64_t begin, std::int64_t end);
  void (*max_gradient)(const Pooling&, const T* x, const T* y, const T* dy, T* dx);
  void (*average_gradient)(const Pooling&, const T* dy, T* dx);
};

struct PoolingTable {
  PoolingOf<float> float32;
  PoolingOf<double> float64;
};

const PoolingTable& pooling_baseline();
const PoolingTable& pooling_avx2();
const PoolingTable& pooling_avx512();

}  // namespace wt::loops
