// Matrix products and convolutions in float32, which take nearly all of the time of a training step on the
// CPU.
//
// The loops work on pointers and counts; they use no tensors and no threads, and allocate nothing. A problem
// has up to three phases, and each phase has tiles. The tiles of a phase may run in any order and on any
// thread; a phase starts when the one before has ended:
//
//     Work work = loops.convolution_work(problem, role);      // the workspace is planned from this
//     for (int phase = 0; phase < contraction_phases; ++phase)
//       workers.run(work.tiles[phase], [&](int64_t tile, std::byte* scratch) {
//         loops.convolution_tile(problem, role, phase, tile, operands, workspace, scratch); });
//
// The tiles follow from the problem and the instruction set alone, so the bits of a result do not depend on
// the number of threads. Read on in contraction.cpp (how a problem is cut) and contraction_panels.h (the
// innermost loops, and the papers that they follow).
#pragma once

#include <cstdint>

namespace wt::loops {

// c[batch, m, n] = a[batch, m, k] b[batch, k, n]. If transpose_a, a is stored as [batch, k, m]; if
// transpose_b, b is stored as [batch, n, k].
struct MatrixProduct {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
};

// Images are [batch, height, width, channels], filters [filter_height, filter_width, channels / groups,
// out_channels]. The padding after the last row and column follows from the size of the output.
struct Convolution {
  std::int64_t batch = 1, height = 0, width = 0, channels = 0;
  std::int64_t filter_height = 1, filter_width = 1;
  std::int64_t out_height = 0, out_width = 0, out_channels = 0;
  std::int64_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t groups = 1;
};

// The tensors of a convolution that a, b and c are.
enum class ConvolutionRole {
  forward,          // input, filter, output
  input_gradient,   // gradient of the output, filter, gradient of the input
  filter_gradient,  // input, gradient of the output, gradient of the filter
};

// The tensors are row-major and contiguous. c is written before it is read. Requires: a, b and c do not
// overlap.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

constexpr int contraction_phases = 3;  // lay out b, multiply, add partial sums
constexpr std::int64_t contraction_scratch_bytes = 64 * 1024;

// The memory and the tiles that a problem needs. A phase may have no tiles.
struct Work {
  std::int64_t workspace_bytes = 0;
  std::int64_t tiles[contraction_phases] = {};
};

// The loops of one instruction set. `workspace` is shared by all tiles and keeps data from phase to phase.
// `scratch` belongs to the running thread and keeps nothing from tile to tile. Both are aligned to 64 bytes.
struct Contraction {
  Work (*product_work)(const MatrixProduct&);
  void (*product_tile)(const MatrixProduct&, int phase, std::int64_t tile, const Operands&, void* workspace,
                       void* scratch);
  Work (*convolution_work)(const Convolution&, ConvolutionRole);
  void (*convolution_tile)(const Convolution&, ConvolutionRole, int phase, std::int64_t tile, const Operands&,
                           void* workspace, void* scratch);
};

// Requires: the processor has the instruction set (WT_LOOPS in cpu/isa.h sees to it).
const Contraction& contraction_baseline();
const Contraction& contraction_avx2();
const Contraction& contraction_avx512();

}  // namespace wt::loops
