// The innermost loops of contraction.cpp: they pack panels of both operands and multiply two panels in
// registers. The method is that of Goto and van de Geijn, 2008 (Anatomy of High-Performance Matrix
// Multiplication) and Van Zee and van de Geijn, 2015 (BLIS). The file is included once per instruction set,
// and everything in it has internal linkage: of an inline function compiled for AVX-512 and for the baseline,
// the linker would keep one.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace wt::loops {
namespace {

using Index = std::int64_t;

// The accumulators of a product of two panels are panel_rows x 2 vectors. They fit into the registers beside
// two vectors of b and one of a.
#if defined(__AVX512F__)
constexpr int lanes = 16, panel_rows = 14;
#elif defined(__AVX__)
constexpr int lanes = 8, panel_rows = 6;
#else
constexpr int lanes = 4, panel_rows = 4;
#endif
constexpr int panel_columns = 2 * lanes;

// A panel of a that is packed by rows: its depth keeps it in the first-level cache, and the longer stride
// places the starts of its rows in different sets of that cache.
constexpr Index row_depth = 384;
constexpr Index row_stride = row_depth + 16;

// Panels of a that are packed by columns: so many are packed together, with this depth.
constexpr int group_panels = 4;
constexpr Index column_depth = 256;

typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
typedef float LooseVector __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));

Index min(Index a, Index b) { return a < b ? a : b; }
Index max(Index a, Index b) { return a > b ? a : b; }
Index divide_up(Index a, Index b) { return (a + b - 1) / b; }
Index round_up(Index a, Index b) { return divide_up(a, b) * b; }

Vector load(const float* from) { return *reinterpret_cast<const LooseVector*>(from); }
void store(float* to, Vector value) { *reinterpret_cast<LooseVector*>(to) = value; }

// Copies the first and the last `size` floats, which may overlap. Requires: size <= count <= 2 * size.
template <int size>
void copy_ends(float* to, const float* from, Index count) {
  float head[size], tail[size];
  std::memcpy(head, from, sizeof head);
  std::memcpy(tail, from + count - size, sizeof tail);
  std::memcpy(to, head, sizeof head);
  std::memcpy(to + count - size, tail, sizeof tail);
}

// The runs that are copied here are so short that a call of memcpy would cost more. The last vector may
// overlap the one before.
void copy(float* to, const float* from, Index count) {
  if (count >= lanes) {
    for (Index i = 0; i + lanes < count; i += lanes) store(to + i, load(from + i));
    store(to + count - lanes, load(from + count - lanes));
  } else if (lanes > 8 && count >= 8) {
    copy_ends<8>(to, from, count);
  } else if (lanes > 4 && count >= 4) {
    copy_ends<4>(to, from, count);
  } else if (count >= 2) {
    copy_ends<2>(to, from, count);
  } else if (count == 1) {
    *to = *from;
  }
}

void clear(float* to, Index count) {
  for (Index i = 0; i < count; ++i) to[i] = 0;
}

struct Pixel {
  Index image = 0, y = 0, x = 0;
};

// The order in which the pixels of a batch are numbered: image after image, or place after place with the
// images innermost. In the second order the rows of a panel are at nearly the same place of their images. A
// tap that is outside the image for one of them is then outside for all of them.
struct Grid {
  Index images = 1, height = 1, width = 0;
  bool images_innermost = false;

  Pixel locate(Index index) const {
    const Index fast = images_innermost ? images : width, row = index / fast;
    if (images_innermost) return {index % fast, row / width, row % width};
    return {row / height, row % height, index % fast};
  }

  // Goes to the next pixel. Returns whether a run of evenly spaced pixels has ended.
  bool advance(Pixel& at) const {
    if (images_innermost) {
      if (++at.image < images) return false;
      at.image = 0;
    }
    if (++at.x < width) return images_innermost;
    at.x = 0;
    if (++at.y < height || images_innermost) return true;
    at.y = 0;
    ++at.image;
    return true;
  }
};

// The left operand. Every output pixel sees a patch of an image: taps_y x taps_x pixels, with zeros outside
// the image. The matrix of patches has a row for each output pixel (im2col). It never exists as a whole,
// since patches are gathered block by block. A plain matrix is the case of 1 x 1 taps, where a row is a pixel
// and a column is a channel.
struct Patches {
  const float* data = nullptr;
  Index height = 1, width = 1, channels = 0;
  Index pixel_step = 0;  // floats from a pixel to the next, more than `channels` where there are groups
  Grid grid;             // of the output pixels
  Index step_y = 1, step_x = 1;  // distance of neighbouring output pixels in the image
  Index taps_y = 1, taps_x = 1, first_y = 0, first_x = 0, delta_y = 1, delta_x = 1;

  // Neighbouring taps of a row that are side by side in memory are copied as one run.
  Index taps_per_run() const { return delta_x == 1 && pixel_step == channels ? taps_x : 1; }
};

// Writes to[pixel][element] and copies along the channels of a patch.
void gather_patches(const Patches& p, Index pixel, Index pixels, Index element, Index elements, float* to,
                    Index stride) {
  const Index taps = p.taps_per_run(), run = taps * p.channels, runs_x = p.taps_x / taps;
  const Index first_run = element / run, first_offset = element % run;
  const Index first_ty = first_run / runs_x, first_tx = first_run % runs_x;
  Pixel at = p.grid.locate(pixel);
  for (Index i = 0; i < pixels; ++i, p.grid.advance(at)) {
    float* out = to + i * stride;
    const float* const image = p.data + at.image * p.height * p.width * p.pixel_step;
    Index ty = first_ty, tx = first_tx, offset = first_offset;
    for (Index left = elements; left > 0;) {
      const Index count = min(run - offset, left);
      const Index y = at.y * p.step_y + p.first_y + ty * p.delta_y,
                  x = at.x * p.step_x + p.first_x + tx * p.delta_x;
      const Index end = offset + count;
      const float* const source = image + (y * p.width + x) * p.pixel_step;
      if (y < 0 || y >= p.height) {
        clear(out, count);
      } else if (x >= 0 && x + taps <= p.width) {
        copy(out, source + offset, count);
      } else {
        const Index low = min(max(offset, -x * p.channels), end),
                    high = max(low, min(end, (p.width - x) * p.channels));
        clear(out, low - offset);
        copy(out + (low - offset), source + low, high - low);
        clear(out + (high - offset), end - high);
      }
      out += count, left -= count, offset = 0;
      if (++tx == runs_x) tx = 0, ++ty;
    }
  }
}

// Writes to[element][pixel] and copies along the rows of the image. Requires: the images have one channel,
// and step_x is 1.
void gather_pixels(const Patches& p, Index pixel, Index pixels, Index element, Index elements, float* to,
                   Index stride) {
  const Pixel first = p.grid.locate(pixel);
  for (Index i = 0; i < elements; ++i) {
    const Index ty = (element + i) / p.taps_x, tx = (element + i) % p.taps_x;
    Pixel at = first;
    float* out = to + i * stride;
    for (Index left = pixels; left > 0;) {
      const Index count = min(p.grid.width - at.x, left);
      const Index y = at.y * p.step_y + p.first_y + ty * p.delta_y, x = at.x + p.first_x + tx * p.delta_x;
      if (y < 0 || y >= p.height) {
        clear(out, count);
      } else {
        const Index low = min(max(0, -x), count), high = max(low, min(count, p.width - x));
        clear(out, low);
        copy(out + low, p.data + (at.image * p.height + y) * p.width + x + low, high - low);
        clear(out + high, count - high);
      }
      out += count, left -= count;
      at.x += count - 1;
      p.grid.advance(at);
    }
  }
}

// The right operand. It has `depth` rows for every tap, and a plain matrix has one tap.
struct Filter {
  const float* data = nullptr;
  Index taps_x = 1, tap_y_step = 0, tap_x_step = 0;
  Index depth = 0, depth_step = 0, column_step = 1;
};

template <int half, int... i>
Vector interleave(Vector a, Vector b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (i / 2 + i % 2 * lanes + half * lanes / 2)...);
}

// Transposes at most lanes x lanes elements: to[k * panel_columns + n] = from[n * step + k]. A round of
// interleaving rotates the bits of the index (n, k) by one. After log2(lanes) rounds n and k have changed
// places.
void transpose(const float* from, Index step, Index rows, Index columns, float* to) {
  if (rows < lanes || columns < lanes) {
    for (Index k = 0; k < columns; ++k)
      for (Index n = 0; n < rows; ++n) to[k * panel_columns + n] = from[k + n * step];
    return;
  }
  constexpr std::make_integer_sequence<int, lanes> all{};
  Vector now[lanes], next[lanes];
  for (int n = 0; n < lanes; ++n) now[n] = load(from + n * step);
#pragma GCC unroll 4
  for (int round = 1; round < lanes; round *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < lanes / 2; ++i) {
      next[2 * i] = interleave<0>(now[i], now[i + lanes / 2], all);
      next[2 * i + 1] = interleave<1>(now[i], now[i + lanes / 2], all);
    }
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) now[i] = next[i];
  }
  for (int k = 0; k < lanes; ++k) store(to + k * panel_columns, now[k]);
}

// Packs some rows and columns of the right operand as to[k][panel_columns]. Missing columns become zeros.
void pack_filter(const Filter& f, Index row, Index depth, Index column, Index columns, float* to) {
  if (columns < panel_columns) clear(to, depth * panel_columns);
  Index tap = row / f.depth, offset = row % f.depth;
  for (Index left = depth; left > 0; ++tap, offset = 0) {
    const Index count = min(f.depth - offset, left);
    const float* from = f.data + tap / f.taps_x * f.tap_y_step + tap % f.taps_x * f.tap_x_step +
                        offset * f.depth_step + column * f.column_step;
    if (f.column_step == 1) {
      for (Index k = 0; k < count; ++k) copy(to + k * panel_columns, from + k * f.depth_step, columns);
    } else {  // Here depth_step is 1.
      for (Index k = 0; k < count; k += lanes)
        for (Index n = 0; n < columns; n += lanes)
          transpose(from + k + n * f.column_step, f.column_step, min(lanes, columns - n),
                    min(lanes, count - k), to + k * panel_columns + n);
    }
    to += count * panel_columns, left -= count;
  }
}

// A packed panel of the left operand: element (i, k) is a[i * row_step + k * depth_step].
struct LeftPanel {
  const float* a = nullptr;
  Index row_step = 0, depth_step = 0;
};

// Multiplies a panel of a and a panel of b. The product is stored to rows of c or, if `onto`, added to them.
template <int panel, int vectors>
void multiply_panels(Index depth, const LeftPanel& left, const float* b, Index b_step, float* const* c,
                     Index columns, bool onto) {
  // Without prefetching, the stores at the end would wait for memory one by one.
  for (int i = 0; i < panel && depth >= 32; ++i)
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(c[i] + v * lanes, 1);
  Vector sum[panel][vectors] = {};
  const Index row_step = left.row_step, depth_step = left.depth_step;
  const float* three[(panel + 2) / 3];  // one pointer for three rows; the other two are reached by indexing
  for (int i = 0; i < panel; i += 3) three[i / 3] = left.a + i * row_step;
  for (Index k = 0; k < depth; ++k, b += b_step) {
    Vector right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = load(b + v * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < panel; ++i) {
      const Vector value = three[i / 3][i % 3 * row_step] - Vector{};
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] += value * right[v];
    }
#pragma GCC unroll 8
    for (int i = 0; i < panel; i += 3) three[i / 3] += depth_step;
  }
#pragma GCC unroll 16
  for (int i = 0; i < panel; ++i) {
    if (columns == vectors * lanes) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        float* const to = c[i] + v * lanes;
        store(to, onto ? load(to) + sum[i][v] : sum[i][v]);
      }
    } else {
      float last[vectors * lanes];
      for (int v = 0; v < vectors; ++v) store(last + v * lanes, sum[i][v]);
      for (Index n = 0; n < columns; ++n) c[i][n] = onto ? c[i][n] + last[n] : last[n];
    }
  }
}

using MultiplyPanels = void (*)(Index, const LeftPanel&, const float*, Index, float* const*, Index, bool);

// The function for exactly so many rows. Every height of a panel has its own, so that the last panel computes
// no rows in vain.
template <int vectors, int panel = panel_rows>
MultiplyPanels choose_panel(Index rows) {
  if constexpr (panel > 1) {
    if (rows < panel) return choose_panel<vectors, panel - 1>(rows);
  }
  return multiply_panels<panel, vectors>;
}

}  // namespace
}  // namespace wt::loops
