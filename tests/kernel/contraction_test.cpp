// Compares every loop of every instruction set that this CPU has with plain sums in double.
#include "kernel/cpu/loops/contraction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace wt::loops {
namespace {

struct InstructionSet {
  std::string name;
  const Contraction* loops = nullptr;
};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{{"baseline", &contraction_baseline()}};
#if defined(WT_EVERY_ISA)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back({"avx2", &contraction_avx2()});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets.push_back({"avx512", &contraction_avx512()});
#endif
  return sets;
}

using Floats = std::vector<float>;
using Random = std::mt19937;

Floats random_floats(std::int64_t count, Random& random) {
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return values;
}

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(high - low + 1));
}

// The expected values, and the sums of the absolute products, which bound the rounding errors.
struct Reference {
  std::vector<double> value, size;
  explicit Reference(std::size_t count) : value(count), size(count) {}
  void add(std::int64_t at, double a, double b) {
    value[static_cast<std::size_t>(at)] += a * b;
    size[static_cast<std::size_t>(at)] += std::abs(a * b);
  }
};

enum class Order { forward, backward, shuffled };

// Runs all tiles. Guards of NaN before and behind every buffer show writes outside of it, and NaN in memory
// that has not been written shows reads of it.
Floats run(const Work& work, const Floats& a, const Floats& b, std::size_t count, Order order,
           const std::function<void(int, std::int64_t, const Operands&, void*, void*)>& run_tile) {
  constexpr std::size_t guard = 64;
  constexpr float unwritten = std::numeric_limits<float>::quiet_NaN();
  const auto guarded = [&](std::size_t floats) { return Floats(floats + 2 * guard, unwritten); };
  const auto copy_of = [&](const Floats& values) {
    Floats copy = guarded(values.size());
    std::copy(values.begin(), values.end(), copy.begin() + guard);
    return copy;
  };
  const auto expect_untouched = [&](const Floats& buffer) {
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_TRUE(std::isnan(buffer[i])) << "written before the start";
      ASSERT_TRUE(std::isnan(buffer[buffer.size() - 1 - i])) << "written behind the end";
    }
  };
  Floats left = copy_of(a), right = copy_of(b), result = guarded(count);
  Floats workspace = guarded(static_cast<std::size_t>(work.workspace_bytes) / sizeof(float));
  Random random(7);
  for (int phase = 0; phase < contraction_phases; ++phase) {
    std::vector<std::int64_t> tiles(static_cast<std::size_t>(work.tiles[phase]));
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = static_cast<std::int64_t>(i);
    if (order == Order::backward) std::reverse(tiles.begin(), tiles.end());
    if (order == Order::shuffled) std::shuffle(tiles.begin(), tiles.end(), random);
    for (const std::int64_t tile : tiles) {
      Floats scratch = guarded(contraction_scratch_bytes / sizeof(float));
      run_tile(phase, tile, {left.data() + guard, right.data() + guard, result.data() + guard},
               workspace.data() + guard, scratch.data() + guard);
      expect_untouched(scratch);
    }
  }
  expect_untouched(result);
  expect_untouched(workspace);
  return Floats(result.begin() + guard, result.end() - guard);
}

void expect_near(const Floats& result, const Reference& reference, const std::string& what) {
  ASSERT_EQ(result.size(), reference.value.size()) << what;
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_NEAR(result[i], reference.value[i], 1e-6 * reference.size[i]) << what << ", element " << i;
}

void expect_same_bits(const Floats& a, const Floats& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i]))
        << what << ", element " << i;
}

void check(const Work& work, const Floats& a, const Floats& b, const Reference& reference,
           const std::string& what,
           const std::function<void(int, std::int64_t, const Operands&, void*, void*)>& run_tile) {
  const Floats result = run(work, a, b, reference.value.size(), Order::forward, run_tile);
  expect_near(result, reference, what);
  for (const Order order : {Order::backward, Order::shuffled})
    expect_same_bits(result, run(work, a, b, reference.value.size(), order, run_tile), what);
}

void check_product(const MatrixProduct& p, Random& random) {
  const Floats a = random_floats(p.batch * p.m * p.k, random), b = random_floats(p.batch * p.k * p.n, random);
  Reference reference(static_cast<std::size_t>(p.batch * p.m * p.n));
  for (std::int64_t t = 0; t < p.batch; ++t)
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t k = 0; k < p.k; ++k) {
          const std::int64_t left = p.transpose_a ? k * p.m + i : i * p.k + k;
          const std::int64_t right = p.transpose_b ? j * p.k + k : k * p.n + j;
          reference.add((t * p.m + i) * p.n + j, a[static_cast<std::size_t>(t * p.m * p.k + left)],
                        b[static_cast<std::size_t>(t * p.k * p.n + right)]);
        }
  for (const InstructionSet& set : instruction_sets())
    check(set.loops->product_work(p), a, b, reference,
          fmt::format("{}: batch {} m {} n {} k {} transposed {} {}", set.name, p.batch, p.m, p.n, p.k,
                      p.transpose_a, p.transpose_b),
          [&](int phase, std::int64_t tile, const Operands& operands, void* workspace, void* scratch) {
            set.loops->product_tile(p, phase, tile, operands, workspace, scratch);
          });
}

struct Sizes {
  std::int64_t input = 0, filter = 0, output = 0;
};

Sizes sizes_of(const Convolution& c) {
  return {c.batch * c.height * c.width * c.channels,
          c.filter_height * c.filter_width * (c.channels / c.groups) * c.out_channels,
          c.batch * c.out_height * c.out_width * c.out_channels};
}

// Calls a function with the offsets (input, filter, output) of every multiplication of a convolution.
void visit_products(const Convolution& c,
                    const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  const std::int64_t in = c.channels / c.groups, out = c.out_channels / c.groups;
  for (std::int64_t pixel = 0; pixel < c.batch * c.out_height * c.out_width; ++pixel)
    for (std::int64_t tap = 0; tap < c.filter_height * c.filter_width; ++tap) {
      const std::int64_t image = pixel / (c.out_height * c.out_width);
      const std::int64_t y =
          pixel / c.out_width % c.out_height * c.stride_y - c.pad_top + tap / c.filter_width * c.dilation_y;
      const std::int64_t x =
          pixel % c.out_width * c.stride_x - c.pad_left + tap % c.filter_width * c.dilation_x;
      if (y < 0 || y >= c.height || x < 0 || x >= c.width) continue;
      for (std::int64_t o = 0; o < c.out_channels; ++o)
        for (std::int64_t i = 0; i < in; ++i)
          visit(((image * c.height + y) * c.width + x) * c.channels + o / out * in + i,
                (tap * in + i) * c.out_channels + o, pixel * c.out_channels + o);
    }
}

void check_convolution(const Convolution& c, Random& random) {
  const Sizes sizes = sizes_of(c);
  const Floats input = random_floats(sizes.input, random), filter = random_floats(sizes.filter, random);
  const Floats gradient = random_floats(sizes.output, random);
  Reference forward(static_cast<std::size_t>(sizes.output)), to_input(static_cast<std::size_t>(sizes.input));
  Reference to_filter(static_cast<std::size_t>(sizes.filter));
  visit_products(c, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
    const double a = input[static_cast<std::size_t>(x)], b = filter[static_cast<std::size_t>(w)];
    const double dy = gradient[static_cast<std::size_t>(y)];
    forward.add(y, a, b);
    to_input.add(x, dy, b);
    to_filter.add(w, a, dy);
  });
  const std::string shape = fmt::format(
      "{}x{}x{}x{}, filter {}x{}, output {}x{}x{}, strides {} {}, dilation {} {}, padding {} {}, groups {}",
      c.batch, c.height, c.width, c.channels, c.filter_height, c.filter_width, c.out_height, c.out_width,
      c.out_channels, c.stride_y, c.stride_x, c.dilation_y, c.dilation_x, c.pad_top, c.pad_left, c.groups);
  struct Case {
    ConvolutionRole role = {};
    const Floats *a = nullptr, *b = nullptr;
    const Reference* reference = nullptr;
    const char* name = nullptr;
  };
  const Case cases[] = {{ConvolutionRole::forward, &input, &filter, &forward, "forward"},
                        {ConvolutionRole::input_gradient, &gradient, &filter, &to_input, "input gradient"},
                        {ConvolutionRole::filter_gradient, &input, &gradient, &to_filter, "filter gradient"}};
  for (const InstructionSet& set : instruction_sets())
    for (const Case& x : cases)
      check(set.loops->convolution_work(c, x.role), *x.a, *x.b, *x.reference,
            fmt::format("{}, {}: {}", set.name, x.name, shape),
            [&](int phase, std::int64_t tile, const Operands& operands, void* workspace, void* scratch) {
              set.loops->convolution_tile(c, x.role, phase, tile, operands, workspace, scratch);
            });
}

// The extent of the output along one axis, for TensorFlow's padding "same" or "valid".
void choose_output(std::int64_t size, std::int64_t filter, std::int64_t stride, std::int64_t dilation,
                   bool same, std::int64_t& output, std::int64_t& padding) {
  const std::int64_t reach = (filter - 1) * dilation + 1;
  output = same ? (size + stride - 1) / stride : std::max<std::int64_t>(0, (size - reach) / stride + 1);
  padding = same ? std::max<std::int64_t>(0, (output - 1) * stride + reach - size) / 2 : 0;
}

TEST(MatrixProduct, AgreesWithPlainSumsForEveryTransposeAndAwkwardSize) {
  Random random(1);
  for (int i = 0; i < 60; ++i)
    check_product({between(random, 1, 3), between(random, 1, 70), between(random, 1, 70),
                   between(random, 1, 40), i % 2 == 0, i / 2 % 2 == 0},
                  random);
}

TEST(MatrixProduct, AgreesWithPlainSumsWhereBlocksAndPartsAreMany) {
  Random random(2);
  for (int i = 0; i < 4; ++i) {
    check_product({1, 117, 65, 700, i % 2 == 0, i / 2 == 0}, random);
    check_product({2, 5, 33, 5000, i % 2 == 0, i / 2 == 0}, random);
    check_product({1, 9, 64, 4111, i % 2 == 0, i / 2 == 0}, random);
    check_product({1, 60, 1100, 20, i % 2 == 0, i / 2 == 0}, random);
  }
}

TEST(MatrixProduct, OfNothingIsZeroOrNothing) {
  Random random(3);
  check_product({1, 5, 40, 0, false, false}, random);
  check_product({1, 0, 4, 3, false, false}, random);
  check_product({1, 4, 0, 3, true, true}, random);
  check_product({0, 4, 4, 3, false, false}, random);
}

TEST(Convolution, AgreesWithPlainSumsForRandomShapes) {
  Random random(4);
  for (int i = 0; i < 120; ++i) {
    Convolution c;
    c.groups = i % 4 == 0 ? between(random, 2, 3) : 1;
    c.batch = between(random, 1, 3);
    c.height = between(random, 1, 12), c.width = between(random, 1, 12);
    c.channels = c.groups * (i % 3 == 0 ? 1 : between(random, 1, 20));
    c.out_channels = c.groups * between(random, 1, 40);
    c.filter_height = between(random, 1, 4), c.filter_width = between(random, 1, 4);
    c.stride_y = between(random, 1, 3), c.stride_x = between(random, 1, 3);
    c.dilation_y = between(random, 1, 3), c.dilation_x = between(random, 1, 3);
    const bool same = random() % 2 == 0;
    choose_output(c.height, c.filter_height, c.stride_y, c.dilation_y, same, c.out_height, c.pad_top);
    choose_output(c.width, c.filter_width, c.stride_x, c.dilation_x, same, c.out_width, c.pad_left);
    check_convolution(c, random);
  }
}

TEST(Convolution, AgreesWithPlainSumsForTheLayersOfModels) {
  Random random(5);
  check_convolution({2, 28, 28, 1, 3, 3, 26, 26, 32}, random);
  check_convolution({2, 13, 13, 32, 3, 3, 11, 11, 64}, random);
  check_convolution({1, 30, 30, 3, 7, 7, 15, 15, 64, 2, 2, 1, 1, 2, 2}, random);
  check_convolution({1, 8, 8, 70, 1, 1, 4, 4, 130, 2, 2}, random);
  check_convolution({1, 40, 40, 1, 5, 5, 40, 40, 8, 1, 1, 1, 1, 2, 2}, random);
  check_convolution({1, 9, 9, 24, 3, 3, 9, 9, 24, 1, 1, 1, 1, 1, 1, 24}, random);
}

TEST(Convolution, WithoutImagesOrPixelsHasNothingToDo) {
  Random random(6);
  check_convolution({0, 5, 5, 3, 3, 3, 3, 3, 4}, random);
  check_convolution({1, 2, 2, 3, 3, 3, 0, 0, 4}, random);
}

TEST(Contraction, WritesNaNAndInfinityThrough) {
  const Floats a{std::numeric_limits<float>::infinity(), 1}, b{1, std::numeric_limits<float>::quiet_NaN()};
  for (const InstructionSet& set : instruction_sets()) {
    const MatrixProduct p{1, 2, 2, 1};
    const Floats c =
        run(set.loops->product_work(p), a, b, 4, Order::forward,
            [&](int phase, std::int64_t tile, const Operands& operands, void* workspace, void* scratch) {
              set.loops->product_tile(p, phase, tile, operands, workspace, scratch);
            });
    EXPECT_EQ(c[0], std::numeric_limits<float>::infinity()) << set.name;
    EXPECT_TRUE(std::isnan(c[1])) << set.name;
    EXPECT_EQ(c[2], 1) << set.name;
    EXPECT_TRUE(std::isnan(c[3])) << set.name;
  }
}

}  // namespace
}  // namespace wt::loops
