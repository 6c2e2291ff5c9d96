#include "kernel/cpu/loops/pooling.h"

#include <type_traits>

#include "kernel/cpu/loops/copies.h"

// The innermost loops run over the channels, which are contiguous and all treated alike. The maximum and its
// gradient keep a vector of channels in a register over all taps of a window. Compilers keep an array of
// channels in memory instead, which took a quarter more time.

namespace wt::loops {
namespace {

using Index = std::int64_t;

// The rows and columns of the image that the window over one output sees.
struct Taps {
  Index top, bottom, left, right;
};

Taps taps_of(const Pooling& p, Index out_y, Index out_x) {
  const Index y = out_y * p.stride_y - p.pad_top;
  const Index x = out_x * p.stride_x - p.pad_left;
  const Index bottom = y + p.window_height;
  const Index right = x + p.window_width;
  return {y > 0 ? y : 0, bottom < p.height ? bottom : p.height, x > 0 ? x : 0,
          right < p.width ? right : p.width};
}

Index count(const Taps& taps) { return (taps.bottom - taps.top) * (taps.right - taps.left); }

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
typedef float FloatVector __attribute__((vector_size(vector_bytes)));
typedef double DoubleVector __attribute__((vector_size(vector_bytes)));

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  V vector;
  __builtin_memcpy(&vector, from, sizeof(V));
  return vector;
}

// Calls f(V(), channel) for all channels, as many at a time as V holds. V is a vector, and T for the last few
// channels.
template <class T, class F>
[[gnu::always_inline]] inline void for_channels(Index channels, F&& f) {
  using Vector = std::conditional_t<sizeof(T) == 4, FloatVector, DoubleVector>;
  constexpr Index lanes = vector_bytes / sizeof(T);
  Index channel = 0;
  for (; channel + lanes <= channels; channel += lanes) f(Vector{}, channel);
  for (; channel < channels; ++channel) f(T{}, channel);
}

template <class T>
void clear(T* to, Index n) {
  for (Index i = 0; i < n; ++i) to[i] = T(0);
}

// The maximum of a window with a NaN is NaN, so that a NaN reaches the loss.
template <class V, class T>
[[gnu::always_inline]] inline void keep_maximum(const Pooling& p, const Taps& taps, const T* x, T* y) {
  V most = load<V>(x + (taps.top * p.width + taps.left) * p.channels);
  for (Index row = taps.top; row < taps.bottom; ++row) {
    for (Index column = taps.left; column < taps.right; ++column) {
      const V tap = load<V>(x + (row * p.width + column) * p.channels);
      most = ((tap > most) | (tap != tap)) ? tap : most;
    }
  }
  __builtin_memcpy(y, &most, sizeof(V));
}

template <class T>
void max(const Pooling& p, const T* x, T* y, Index begin, Index end) {
  for (Index out_y = begin; out_y < end; ++out_y) {
    for (Index out_x = 0; out_x < p.out_width; ++out_x) {
      const Taps taps = taps_of(p, out_y, out_x);
      T* out = y + (out_y * p.out_width + out_x) * p.channels;
      for_channels<T>(p.channels, [&](auto zero, Index channel) {
        keep_maximum<decltype(zero)>(p, taps, x + channel, out + channel);
      });
    }
  }
}

// Gives dy to the first tap of a window that is not below the maximum `most`; every channel has its own first
// tap. `left` is dy for the channels that have not found theirs yet. `adds` is set where windows overlap, so
// that dx may hold the gradient of another window.
template <bool adds, class V, class T>
[[gnu::always_inline]] inline void hand_out(const Pooling& p, const Taps& taps, const T* x, V most, V left,
                                            T* dx) {
  const V nothing{};
  for (Index row = taps.top; row < taps.bottom; ++row) {
    for (Index column = taps.left; column < taps.right; ++column) {
      const Index in = (row * p.width + column) * p.channels;
      const auto is_below = load<V>(x + in) < most;
      V given = is_below ? nothing : left;
      left = is_below ? left : nothing;
      if constexpr (adds) given += load<V>(dx + in);
      __builtin_memcpy(dx + in, &given, sizeof(V));
    }
  }
}

template <bool adds, class T>
void max_gradient_of(const Pooling& p, const T* x, const T* y, const T* dy, T* dx) {
  for (Index out_y = 0; out_y < p.out_height; ++out_y) {
    for (Index out_x = 0; out_x < p.out_width; ++out_x) {
      const Taps taps = taps_of(p, out_y, out_x);
      const Index out = (out_y * p.out_width + out_x) * p.channels;
      for_channels<T>(p.channels, [&](auto zero, Index channel) {
        using V = decltype(zero);
        hand_out<adds, V>(p, taps, x + channel, load<V>(y + out + channel), load<V>(dy + out + channel),
                          dx + channel);
      });
    }
  }
}

// Whether no pixel is in two windows, so that each is written once. Pixels behind the last window are in
// none.
bool tiles_image(const Pooling& p) { return p.stride_y == p.window_height && p.stride_x == p.window_width; }

template <class T>
void max_gradient(const Pooling& p, const T* x, const T* y, const T* dy, T* dx) {
  if (!tiles_image(p)) {
    clear(dx, p.height * p.width * p.channels);
    return max_gradient_of<true>(p, x, y, dy, dx);
  }
  const Index rows = p.out_height * p.stride_y - p.pad_top;
  const Index columns = p.out_width * p.stride_x - p.pad_left;
  for (Index row = 0; row < (rows < p.height ? rows : p.height) && columns < p.width; ++row)
    clear(dx + (row * p.width + columns) * p.channels, (p.width - columns) * p.channels);
  if (rows < p.height) clear(dx + rows * p.width * p.channels, (p.height - rows) * p.width * p.channels);
  max_gradient_of<false>(p, x, y, dy, dx);
}

template <class T>
void average(const Pooling& p, const T* x, T* y, Index begin, Index end) {
  for (Index out_y = begin; out_y < end; ++out_y) {
    for (Index out_x = 0; out_x < p.out_width; ++out_x) {
      const Taps taps = taps_of(p, out_y, out_x);
      T* __restrict__ out = y + (out_y * p.out_width + out_x) * p.channels;
      clear(out, p.channels);
      for (Index row = taps.top; row < taps.bottom; ++row) {
        for (Index column = taps.left; column < taps.right; ++column) {
          const T* __restrict__ in = x + (row * p.width + column) * p.channels;
          for (Index i = 0; i < p.channels; ++i) out[i] += in[i];
        }
      }
      const T taken = static_cast<T>(count(taps));
      for (Index i = 0; i < p.channels; ++i) out[i] /= taken;
    }
  }
}

template <class T>
void average_gradient(const Pooling& p, const T* dy, T* dx) {
  clear(dx, p.height * p.width * p.channels);
  for (Index out_y = 0; out_y < p.out_height; ++out_y) {
    for (Index out_x = 0; out_x < p.out_width; ++out_x) {
      const Taps taps = taps_of(p, out_y, out_x);
      const T* __restrict__ out = dy + (out_y * p.out_width + out_x) * p.channels;
      const T share = T(1) / static_cast<T>(count(taps));
      for (Index row = taps.top; row < taps.bottom; ++row) {
        for (Index column = taps.left; column < taps.right; ++column) {
          T* __restrict__ in = dx + (row * p.width + column) * p.channels;
          for (Index i = 0; i < p.channels; ++i) in[i] += out[i] * share;
        }
      }
    }
  }
}

template <class T>
constexpr PoolingOf<T> loops_of = {max<T>, average<T>, max_gradient<T>, average_gradient<T>};

constexpr PoolingTable loops = {loops_of<float>, loops_of<double>};

}  // namespace

const PoolingTable& WT_COPY(pooling)() { return loops; }

}  // namespace wt::loops
