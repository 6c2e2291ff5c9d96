#include "kernel/cpu/kernels.h"

#include <algorithm>
#include <type_traits>

#include "device/cpu/workers.h"
#include "kernel/cpu/isa.h"
#include "kernel/cpu/loops/elementwise.h"
#include "kernel/cpu/nest.h"
#include "kernel/cpu/types.h"
#include "kernel/element/convert.h"
#include "kernel/signature.h"

namespace wt::cpu {

namespace {

template <class T>
const loops::ElementwiseOf<T>& elementwise_loops() {
  const loops::Elementwise& loops = WT_LOOPS(loops::elementwise);
  if constexpr (std::is_same_v<T, float>) return loops.float32;
  if constexpr (std::is_same_v<T, double>) return loops.float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return loops.int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return loops.int64;
}

template <class Operation>
std::size_t index(Operation operation) {
  return static_cast<std::size_t>(operation);
}

// Calls f(begin, count) for every tile of a range of elements.
template <class F>
void run_in_tiles(device::Workers& workers, std::int64_t elements, F&& f) {
  workers.run(ceiling(elements, tile_elements), [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t begin = tile * tile_elements;
    f(begin, std::min(tile_elements, elements - begin));
  });
}

// The strides of a block for the loops. Operand 0 of the nest is the result; operands 1, 2, ... are the
// inputs in the kernel's order.
loops::Block block_of(const Nest& nest, const Nest::Run& run, std::size_t inputs) {
  loops::Block block{.rows = run.rows, .columns = run.columns, .out_row = nest.row_stride(0)};
  for (std::size_t input = 0; input < inputs; ++input) {
    block.row[input] = nest.row_stride(input + 1);
    block.column[input] = nest.column_stride(input + 1);
  }
  return block;
}

template <class T, class Result, class Loop>
void zip(Loop loop, const Numbers& numbers, device::Workers& workers) {
  const View &a = numbers.inputs[0], &b = numbers.inputs[1], &c = numbers.outputs[0];
  const Shape& shape = c.spec.shape;
  const Nest nest(shape, {dense_strides(shape), broadcast_strides(a.spec.shape, shape),
                          broadcast_strides(b.spec.shape, shape)});
  const T *a_data = a.as<T>(), *b_data = b.as<T>();
  auto* c_data = c.as<Result>();
  workers.run(nest.tiles(), [&](std::int64_t tile, std::span<std::byte>) {
    nest.visit(tile, [&](const Nest::Run& run) {
      loop(a_data + run.offset[1], b_data + run.offset[2], c_data + run.offset[0], block_of(nest, run, 2));
    });
  });
}

template <class From, class To>
void convert(const From* from, To* to, std::int64_t count) {
  const loops::Elementwise& loops = WT_LOOPS(loops::elementwise);
  if constexpr (std::is_same_v<From, Float16> && std::is_same_v<To, float>)
    loops.float16.widen(from, to, count);
  else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Float16>)
    loops.float16.round(from, to, count);
  else if constexpr (std::is_same_v<From, BFloat16> && std::is_same_v<To, float>)
    loops.bfloat16.widen(from, to, count);
  else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat16>)
    loops.bfloat16.round(from, to, count);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = element::converted<To>(from[i]);
}

// An integer division by zero would end the program with a signal. A float's gives infinity or NaN.
template <class T>
void require_no_zero(const View& divisor) {
  const std::span<const T> values = divisor.values<T>();
  const auto zero = std::find(values.begin(), values.end(), T{0});
  if (zero != values.end())
    refuse("divide", fmt::format("integer division by zero: element {} of b, which is {}",
                                 zero - values.begin(), print(divisor.spec)));
}

}  // namespace

void apply_unary(Unary operation, const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const T* x = numbers.inputs[0].as<T>();
    T* y = numbers.outputs[0].as<T>();
    const auto loop = elementwise_loops<T>().unary[index(operation)];
    run_in_tiles(workers, numbers.outputs[0].spec.elements(),
                 [&](std::int64_t begin, std::int64_t count) { loop(x + begin, y + begin, count); });
  });
}

void apply_binary(Binary operation, const Numbers& numbers, device::Workers& workers) {
  with_number(numbers.outputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      if (operation == Binary::divide) require_no_zero<T>(numbers.inputs[1]);
    const auto loop = elementwise_loops<T>().binary[index(operation)];
    WT_EXPECT(loop != nullptr, "binary operation {} has no loop for {}", index(operation), name(type_of<T>));
    zip<T, T>(loop, numbers, workers);
  });
}

void apply_comparison(Comparison operation, const Numbers& numbers, device::Workers& workers) {
  with_number(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    zip<T, bool>(elementwise_loops<T>().comparison[index(operation)], numbers, workers);
  });
}

void apply_select(const Numbers& numbers, device::Workers& workers) {
  const View &condition = numbers.inputs[0], &a = numbers.inputs[1], &b = numbers.inputs[2];
  const View& c = numbers.outputs[0];
  const Shape& shape = c.spec.shape;
  const Nest nest(shape, {dense_strides(shape), broadcast_strides(condition.spec.shape, shape),
                          broadcast_strides(a.spec.shape, shape), broadcast_strides(b.spec.shape, shape)});
  with_number(c.spec.type, [&](auto zero) {
    using T = decltype(zero);
    const auto loop = elementwise_loops<T>().select;
    workers.run(nest.tiles(), [&](std::int64_t tile, std::span<std::byte>) {
      nest.visit(tile, [&](const Nest::Run& run) {
        loop(condition.as<bool>() + run.offset[1], a.as<T>() + run.offset[2], b.as<T>() + run.offset[3],
             c.as<T>() + run.offset[0], block_of(nest, run, 3));
      });
    });
  });
}

void apply_cast(const Numbers& numbers, device::Workers& workers) {
  const View &x = numbers.inputs[0], &y = numbers.outputs[0];
  with_type(x.spec.type, [&](auto from_zero) {
    with_type(y.spec.type, [&](auto to_zero) {
      using From = decltype(from_zero);
      using To = decltype(to_zero);
      const From* from = x.as<From>();
      To* to = y.as<To>();
      run_in_tiles(workers, x.spec.elements(),
                   [&](std::int64_t begin, std::int64_t count) { convert(from + begin, to + begin, count); });
    });
  });
}

void apply_fill(const Numbers& numbers, device::Workers& workers) {
  const View& y = numbers.outputs[0];
  const double value = attributes_as<FillAttributes>(numbers.attributes).value;
  with_type(y.spec.type, [&](auto zero) {
    using T = decltype(zero);
    T* data = y.as<T>();
    run_in_tiles(workers, y.spec.elements(), [&](std::int64_t begin, std::int64_t count) {
      std::fill_n(data + begin, count, element::converted<T>(value));
    });
  });
}

void apply_range(const Numbers& numbers, device::Workers& workers) {
  const View& y = numbers.outputs[0];
  const double value = attributes_as<FillAttributes>(numbers.attributes).value;
  with_number(y.spec.type, [&](auto zero) {
    using T = decltype(zero);
    T* data = y.as<T>();
    run_in_tiles(workers, y.spec.elements(), [&](std::int64_t begin, std::int64_t count) {
      for (std::int64_t i = begin; i < begin + count; ++i)
        data[i] = element::converted<T>(static_cast<double>(i) * value);
    });
  });
}

}  // namespace wt::cpu
