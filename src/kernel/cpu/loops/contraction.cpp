#include "kernel/cpu/loops/contraction.h"

#include "kernel/cpu/loops/contraction_panels.h"
#include "kernel/cpu/loops/depthwise.h"

namespace wt::loops {
namespace {

// The addresses of the result's rows. A plain matrix is one image with a single row of pixels.
struct Rows {
  float* data = nullptr;
  Grid grid;
  Index image_step = 0, y_step = 0, x_step = 0;
};

float* address(const Rows& rows, const Pixel& at) {
  return rows.data + at.image * rows.image_step + at.y * rows.y_step + at.x * rows.x_step;
}

// The addresses of `count` rows from `row` on, at the given column.
void addresses(const Rows& rows, Index row, Index count, Index column, float** to) {
  Pixel at = rows.grid.locate(row);
  float* next = address(rows, at) + column;
  for (Index i = 0; i < count; ++i) {
    to[i] = next;
    next += rows.grid.images_innermost ? rows.image_step : rows.x_step;
    if (rows.grid.advance(at)) next = address(rows, at) + column;
  }
}

// The form to which all problems are brought: out[outer][rows, columns] = left[outer][rows, depth]
// right[outer][depth, columns]. `outer` counts the matrices of a batch or the groups of a convolution.
struct Product {
  Index outer = 1, rows = 0, columns = 0, depth = 0;
  Patches left;
  bool rows_are_pixels = true;  // else the matrix of patches is transposed, and depth runs over the pixels
  Filter right;
  Rows out;
  Index right_start = 0, out_start = 0;                  // floats before the first element
  Index left_shift = 0, right_shift = 0, out_shift = 0;  // floats from an outer index to the next

  // How the product is cut. These follow from the shape and the instruction set alone.
  bool by_columns = false;     // a is packed as [k][row], else as [row][k]
  bool along_pixels = false;   // a is copied along rows of pixels, which is faster where there is one channel
  bool skips_outside = false;  // taps that are outside the image for all rows of a panel are left out
  bool direct = false;         // b is read in place and not packed
  Index parts = 1, blocks = 0, part_depth = 0, block_depth = 0;  // the depth has parts, a part has blocks
  Index tile_rows = 0, tile_columns = 0, group_rows = 0;

  Index row_tiles() const { return divide_up(rows, tile_rows); }
  Index column_tiles() const { return divide_up(columns, tile_columns); }
  Index padded_columns() const { return round_up(columns, panel_columns); }
  Index pack_tiles() const { return direct ? 0 : outer * parts * blocks * column_tiles(); }
  Index multiply_tiles() const { return outer * parts * row_tiles() * column_tiles(); }
  Index sum_tiles() const { return parts > 1 ? outer * row_tiles() : 0; }
  Index packed_floats() const { return direct ? 0 : round_up(outer * depth * padded_columns(), 16); }
  Index partial_floats() const { return parts > 1 ? round_up(outer * parts * rows * columns, 16) : 0; }
};

constexpr Index enough_tiles = 32;   // enough for a dozen threads
constexpr Index least_depth = 1024;  // of a part, so that adding the parts is cheap beside the product

// Taps [y, y_end) x [x, x_end) of a filter. The patch is zero at all other taps.
struct Window {
  Index y = 0, y_end = 0, x = 0, x_end = 0;
};

Window window_at(const Patches& p, const Pixel& at) {
  Window window;
  clip_taps(at.y * p.step_y + p.first_y, p.delta_y, p.taps_y, p.height, window.y, window.y_end);
  clip_taps(at.x * p.step_x + p.first_x, p.delta_x, p.taps_x, p.width, window.x, window.x_end);
  return window;
}

// The smallest window that contains the windows of all these pixels.
Window window_of(const Patches& p, Index pixel, Index pixels) {
  Window all{p.taps_y, 0, p.taps_x, 0};
  Pixel at = p.grid.locate(pixel);
  for (Index i = 0; i < pixels; ++i, p.grid.advance(at)) {
    const Window one = window_at(p, at);
    all = {min(all.y, one.y), max(all.y_end, one.y_end), min(all.x, one.x), max(all.x_end, one.x_end)};
  }
  return all;
}

// Whether the order with images innermost saves enough multiplications by zero, at least one in sixteen, to
// be worth its less regular access to memory.
bool images_innermost(const Patches& p) {
  if (p.grid.images < 4) return false;
  Index inside_y = 0, inside_x = 0;
  for (Index y = 0; y < p.grid.height; ++y) {
    const Window window = window_at(p, {0, y, 0});
    inside_y += max(0, window.y_end - window.y);
  }
  for (Index x = 0; x < p.grid.width; ++x) {
    const Window window = window_at(p, {0, 0, x});
    inside_x += max(0, window.x_end - window.x);
  }
  return inside_y * inside_x * 16 <= p.grid.height * p.taps_y * p.grid.width * p.taps_x * 15;
}

// Decides how a product is cut. The constants were measured on Zen 4. The depth is divided into parts before
// the row tiles are made smaller, since a small tile uses only parts of cache lines.
void cut(Product& p) {
  const Patches& left = p.left;
  p.along_pixels =
      left.channels == 1 && left.pixel_step == 1 && left.step_x == 1 && left.taps_x * left.taps_y > 1;
  p.by_columns = p.rows_are_pixels == p.along_pixels;
  p.skips_outside = p.rows_are_pixels && !p.along_pixels && left.taps_y * left.taps_x > 1;
  if (p.skips_outside) p.left.grid.images_innermost = p.out.grid.images_innermost = images_innermost(left);
  p.group_rows = p.by_columns ? panel_rows * group_panels : panel_rows;
  p.tile_columns = round_up(divide_up(max(p.columns, 1), divide_up(max(p.columns, 1), 512)), panel_columns);
  p.direct = p.right.column_step == 1 && p.right.depth == p.depth && p.columns % lanes == 0 &&
             (p.columns <= 128 || p.rows <= 128);

  const Index least_rows = panel_rows * group_panels;
  Index row_tiles = divide_up(max(1, p.rows), 5 * least_rows);
  p.tile_rows = round_up(divide_up(max(1, p.rows), row_tiles), panel_rows);
  p.parts = max(1, min(p.depth / least_depth, enough_tiles / max(1, p.multiply_tiles())));
  while (p.multiply_tiles() < enough_tiles && p.tile_rows >= 2 * least_rows)
    p.tile_rows = round_up(divide_up(p.rows, row_tiles *= 2), panel_rows);
  p.part_depth = round_up(divide_up(p.depth, p.parts), 16);
  p.parts = max(1, divide_up(p.depth, max(1, p.part_depth)));
  p.blocks = max(1, divide_up(p.part_depth, p.by_columns ? column_depth : row_depth));
  p.block_depth = round_up(divide_up(p.part_depth, p.blocks), 16);
}

// Packs b as [depth block][panel][k][panel_columns], so that a tile reads contiguous memory.
void pack_tile(const Product& p, Index tile, float* packed) {
  const Index column_tile = tile % p.column_tiles(), block = tile / p.column_tiles() % (p.parts * p.blocks);
  const Index outer = tile / p.column_tiles() / (p.parts * p.blocks);
  const Index part_end = min((block / p.blocks + 1) * p.part_depth, p.depth);
  const Index k = block / p.blocks * p.part_depth + block % p.blocks * p.block_depth;
  const Index depth = min(p.block_depth, part_end - k);
  if (depth <= 0) return;
  Filter right = p.right;
  right.data += p.right_start + outer * p.right_shift;
  float* const to = packed + (outer * p.depth + k) * p.padded_columns();
  const Index end = min((column_tile + 1) * p.tile_columns, p.columns);
  for (Index n = column_tile * p.tile_columns; n < end; n += panel_columns)
    pack_filter(right, k, depth, n, min(panel_columns, end - n), to + n * depth);
}

// The members of a tile that are the same for all of its blocks.
struct Tile {
  Patches left;
  const float* right = nullptr;
  Rows out;
  Index row = 0, row_end = 0, column = 0, column_end = 0;
};

// A range of the depth, within one block.
struct Range {
  Index block = 0, block_depth = 0;  // start and length of the block
  Index k = 0, depth = 0;
};

void multiply_panel(const Product& p, const Tile& tile, Index row, Index rows, const Range& range, bool onto,
                    const LeftPanel& left) {
  float* out[panel_rows];
  addresses(tile.out, row, rows, tile.column, out);
  const Index right_step = p.direct ? p.right.depth_step : panel_columns;
  for (Index n = tile.column; n < tile.column_end; n += panel_columns) {
    const Index columns = min(panel_columns, tile.column_end - n);
    const float* const right = p.direct ? tile.right + range.k * right_step + n
                                        : tile.right + range.block * p.padded_columns() +
                                              n * range.block_depth + (range.k - range.block) * right_step;
    (columns > lanes ? choose_panel<2>(rows) : choose_panel<1>(rows))(range.depth, left, right, right_step,
                                                                      out, columns, onto);
    for (Index i = 0; i < rows; ++i) out[i] += columns;
  }
}

// Multiplies rows [row, row + rows) by a range of the depth. Requires: rows is at most group_rows.
void multiply_range(const Product& p, const Tile& tile, Index row, Index rows, const Range& range, bool onto,
                    float* scratch) {
  const auto gather = p.along_pixels ? gather_pixels : gather_patches;
  const Index stride = p.by_columns ? p.group_rows : row_stride;
  if (range.depth > 0 && p.rows_are_pixels)
    gather(tile.left, row, rows, range.k, range.depth, scratch, stride);
  if (range.depth > 0 && !p.rows_are_pixels)
    gather(tile.left, range.k, range.depth, row, rows, scratch, stride);
  for (Index i = 0; i < rows; i += panel_rows) {
    const LeftPanel left =
        p.by_columns ? LeftPanel{scratch + i, 1, p.group_rows} : LeftPanel{scratch, row_stride, 1};
    multiply_panel(p, tile, row + i, min(panel_rows, rows - i), range, onto, left);
  }
}

// Multiplies rows [row, row + rows) by a block of the depth. Taps that are outside the image for all of these
// rows are left out.
void multiply_block(const Product& p, const Tile& tile, Index row, Index rows, const Range& block, bool onto,
                    float* scratch) {
  const Window window = p.skips_outside ? window_of(tile.left, row, rows) : Window{};
  const Index run = p.left.taps_x * p.left.channels, end = block.k + block.depth;
  const bool whole =
      window.x == 0 && window.x_end == p.left.taps_x && window.y == 0 && window.y_end == p.left.taps_y;
  if (!p.skips_outside || whole) return multiply_range(p, tile, row, rows, block, onto, scratch);
  for (Index y = max(window.y, block.k / run); y < window.y_end; ++y) {
    Range range = block;
    range.k = max(block.k, y * run + window.x * p.left.channels);
    range.depth = min(end, y * run + window.x_end * p.left.channels) - range.k;
    if (range.depth <= 0) continue;
    multiply_range(p, tile, row, rows, range, onto, scratch);
    onto = true;
  }
  if (!onto) multiply_range(p, tile, row, rows, {block.block, block.block_depth, block.k, 0}, onto, scratch);
}

void multiply_tile(const Product& p, Index index, const float* packed, float* partial, float* scratch) {
  const Index row_tile = index % p.row_tiles(), column_tile = index / p.row_tiles() % p.column_tiles();
  const Index part = index / p.row_tiles() / p.column_tiles() % p.parts;
  const Index outer = index / p.row_tiles() / p.column_tiles() / p.parts;
  Tile tile{p.left, nullptr, p.out, row_tile * p.tile_rows, 0, column_tile * p.tile_columns, 0};
  tile.row_end = min(tile.row + p.tile_rows, p.rows);
  tile.column_end = min(tile.column + p.tile_columns, p.columns);
  tile.left.data += outer * p.left_shift;
  tile.right = p.direct ? p.right.data + p.right_start + outer * p.right_shift
                        : packed + outer * p.depth * p.padded_columns();
  tile.out.data += p.out_start + outer * p.out_shift;
  if (p.parts > 1)
    tile.out = {partial + (part * p.outer + outer) * p.rows * p.columns, {1, 1, p.rows}, 0, 0, p.columns};

  const Index first = part * p.part_depth, end = min(first + p.part_depth, p.depth);
  Index k = first;
  do {  // An empty depth is computed once, too, since it makes the result zero.
    const Index depth = min(p.block_depth, end - k);
    for (Index row = tile.row; row < tile.row_end; row += p.group_rows)
      multiply_block(p, tile, row, min(p.group_rows, tile.row_end - row), {k, depth, k, depth}, k > first,
                     scratch);
    k += p.block_depth;
  } while (k < end);
}

// Adds the parts of some rows in their order.
void sum_tile(const Product& p, Index tile, const float* partial) {
  const Index outer = tile / p.row_tiles(), row = tile % p.row_tiles() * p.tile_rows;
  const Index end = min(row + p.tile_rows, p.rows), part_step = p.outer * p.rows * p.columns;
  Pixel at = p.out.grid.locate(row);
  for (Index m = row; m < end; ++m, p.out.grid.advance(at)) {
    float* const to = address(p.out, at) + p.out_start + outer * p.out_shift;
    const float* const from = partial + (outer * p.rows + m) * p.columns;
    copy(to, from, p.columns);
    for (Index part = 1; part < p.parts; ++part)
      for (Index n = 0; n < p.columns; ++n) to[n] += from[part * part_step + n];
  }
}

void add_work(Work& work, const Product& p) {
  work.workspace_bytes += (p.packed_floats() + p.partial_floats()) * static_cast<Index>(sizeof(float));
  work.tiles[0] += p.pack_tiles();
  work.tiles[1] += p.multiply_tiles();
  work.tiles[2] += p.sum_tiles();
}

// The tiles of several products are numbered one after the other. Runs the tile and returns true if it
// belongs to this product. Otherwise subtracts the tiles of this product from the number and returns false.
bool run_tile(const Product& p, int phase, Index& tile, float*& workspace, void* scratch) {
  const Index tiles[contraction_phases] = {p.pack_tiles(), p.multiply_tiles(), p.sum_tiles()};
  float* const packed = workspace;
  float* const partial = packed + p.packed_floats();
  workspace = partial + p.partial_floats();
  if (tile >= tiles[phase]) {
    tile -= tiles[phase];
    return false;
  }
  if (phase == 0) pack_tile(p, tile, packed);
  if (phase == 1) multiply_tile(p, tile, packed, partial, static_cast<float*>(scratch));
  if (phase == 2) sum_tile(p, tile, partial);
  return true;
}

Product matrix_product(const MatrixProduct& m, const Operands& operands) {
  Product p;
  p.outer = m.batch, p.rows = m.m, p.columns = m.n, p.depth = m.k;
  p.rows_are_pixels = !m.transpose_a;
  p.left.data = operands.a;
  p.left.width = p.left.grid.width = m.transpose_a ? m.k : m.m;
  p.left.channels = p.left.pixel_step = m.transpose_a ? m.m : m.k;
  p.right.data = operands.b;
  p.right.depth = m.k;
  p.right.depth_step = m.transpose_b ? 1 : m.n;
  p.right.column_step = m.transpose_b ? m.k : 1;
  p.out = {operands.c, {1, 1, m.m}, 0, 0, m.n};
  p.left_shift = m.m * m.k, p.right_shift = m.k * m.n, p.out_shift = m.m * m.n;
  cut(p);
  return p;
}

Patches input_patches(const Convolution& c, const float* input) {
  Patches p;
  p.data = input;
  p.height = c.height, p.width = c.width, p.channels = c.channels / c.groups, p.pixel_step = c.channels;
  p.grid = {c.batch, c.out_height, c.out_width}, p.step_y = c.stride_y, p.step_x = c.stride_x;
  p.taps_y = c.filter_height, p.taps_x = c.filter_width;
  p.first_y = -c.pad_top, p.first_x = -c.pad_left, p.delta_y = c.dilation_y, p.delta_x = c.dilation_x;
  return p;
}

Product forward(const Convolution& c, const Operands& operands) {
  const Index out_channels = c.out_channels / c.groups, pixels = c.batch * c.out_height * c.out_width;
  Product p;
  p.left = input_patches(c, operands.a);
  p.outer = c.groups, p.rows = pixels, p.columns = out_channels;
  p.depth = c.filter_height * c.filter_width * p.left.channels;
  p.right.data = operands.b;
  p.right.depth = p.depth, p.right.depth_step = c.out_channels;
  p.out = {operands.c, p.left.grid, c.out_height * c.out_width * c.out_channels, c.out_width * c.out_channels,
           c.out_channels};
  p.left_shift = p.left.channels, p.right_shift = p.out_shift = out_channels;
  cut(p);
  return p;
}

Product filter_gradient(const Convolution& c, const Operands& operands) {
  const Index out_channels = c.out_channels / c.groups, pixels = c.batch * c.out_height * c.out_width;
  Product p;
  p.left = input_patches(c, operands.a);
  p.rows_are_pixels = false;
  p.outer = c.groups, p.rows = c.filter_height * c.filter_width * p.left.channels, p.columns = out_channels;
  p.depth = pixels;
  p.right.data = operands.b;
  p.right.depth = pixels, p.right.depth_step = c.out_channels;
  p.out = {operands.c, {1, 1, p.rows}, 0, 0, c.out_channels};
  p.left_shift = p.left.channels, p.right_shift = p.out_shift = out_channels;
  cut(p);
  return p;
}

// The gradient to the input pixels of one residue class of the strides. It is a dense convolution over the
// gradient of the output, so no pixel is written twice and no inserted zero is multiplied.
Product input_gradient(const Convolution& c, Index residue_y, Index residue_x, const Operands& operands) {
  const Taps y = taps_of(residue_y, c.pad_top, c.stride_y, c.dilation_y, c.filter_height);
  const Taps x = taps_of(residue_x, c.pad_left, c.stride_x, c.dilation_x, c.filter_width);
  const Index channels = c.channels / c.groups, out_channels = c.out_channels / c.groups;
  const Index tap_floats = channels * c.out_channels;
  Product p;
  p.left.data = operands.a;
  p.left.height = c.out_height, p.left.width = c.out_width, p.left.channels = out_channels;
  p.left.pixel_step = c.out_channels;
  p.left.grid = {c.batch, divide_up(max(0, c.height - residue_y), c.stride_y),
                 divide_up(max(0, c.width - residue_x), c.stride_x)};
  p.left.taps_y = y.count, p.left.taps_x = x.count, p.left.first_y = y.first_pixel,
  p.left.first_x = x.first_pixel;
  p.left.delta_y = y.pixel_step, p.left.delta_x = x.pixel_step;
  p.outer = c.groups, p.rows = c.batch * p.left.grid.height * p.left.grid.width, p.columns = channels;
  p.depth = y.count * x.count * out_channels;
  p.right.data = operands.b;
  p.right_start = (y.first_tap * c.filter_width + x.first_tap) * tap_floats;
  p.right.taps_x = x.count, p.right.tap_y_step = y.tap_step * c.filter_width * tap_floats;
  p.right.tap_x_step = x.tap_step * tap_floats;
  p.right.depth = out_channels, p.right.depth_step = 1, p.right.column_step = c.out_channels;
  p.out_start = (residue_y * c.width + residue_x) * c.channels;
  p.out = {operands.c, p.left.grid, c.height * c.width * c.channels, c.stride_y * c.width * c.channels,
           c.stride_x * c.channels};
  p.left_shift = p.right_shift = out_channels, p.out_shift = channels;
  cut(p);
  return p;
}

// Calls visit(product) for each product of a convolution until one call returns true. The gradient to the
// input has one product for each residue class of the strides.
template <typename Visit>
void visit_products(const Convolution& c, ConvolutionRole role, const Operands& operands, Visit visit) {
  if (role == ConvolutionRole::forward) {
    visit(forward(c, operands));
  } else if (role == ConvolutionRole::filter_gradient) {
    visit(filter_gradient(c, operands));
  } else {
    for (Index y = 0; y < c.stride_y; ++y)
      for (Index x = 0; x < c.stride_x; ++x)
        if (visit(input_gradient(c, y, x, operands))) return;
  }
}

Work product_work(const MatrixProduct& problem) {
  Work work;
  add_work(work, matrix_product(problem, {}));
  return work;
}

void product_tile(const MatrixProduct& problem, int phase, Index tile, const Operands& operands,
                  void* workspace, void* scratch) {
  float* free = static_cast<float*>(workspace);
  run_tile(matrix_product(problem, operands), phase, tile, free, scratch);
}

Work convolution_work(const Convolution& problem, ConvolutionRole role) {
  if (is_depthwise(problem)) return depthwise_work(problem, role);
  Work work;
  visit_products(problem, role, {}, [&](const Product& p) {
    add_work(work, p);
    return false;
  });
  return work;
}

void convolution_tile(const Convolution& problem, ConvolutionRole role, int phase, Index tile,
                      const Operands& operands, void* workspace, void* scratch) {
  float* free = static_cast<float*>(workspace);
  if (is_depthwise(problem)) return depthwise_tile(problem, role, phase, tile, operands, free);
  visit_products(problem, role, operands,
                 [&](const Product& p) { return run_tile(p, phase, tile, free, scratch); });
}

constexpr Contraction contraction{product_work, product_tile, convolution_work, convolution_tile};

}  // namespace

#define WT_JOIN_NAMES(a, b) a##b
#define WT_JOIN(a, b) WT_JOIN_NAMES(a, b)
const Contraction& WT_JOIN(contraction_, WT_ISA)() { return contraction; }

}  // namespace wt::loops
