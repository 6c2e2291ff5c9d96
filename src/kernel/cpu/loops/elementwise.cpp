#include "kernel/cpu/loops/elementwise.h"

#include <cstdint>
#include <type_traits>

#include "kernel/cpu/loops/copies.h"
#include "kernel/element/elementwise.h"

namespace wt::loops {

namespace {

using namespace element;
using Index = std::int64_t;

template <class Operation, class T>
void map(const T* x, T* y, Index count) {
  WT_INDEPENDENT
  for (Index i = 0; i < count; ++i) y[i] = Operation::of(x[i]);
}

template <class Operation, class T, class Result>
void zip(const T* a, const T* b, Result* c, const Block& block) {
  const Index columns = block.columns;
  for (Index row = 0; row < block.rows; ++row, a += block.row[0], b += block.row[1], c += block.out_row) {
    if (block.column[0] != 0 && block.column[1] != 0) {
      WT_INDEPENDENT
      for (Index i = 0; i < columns; ++i) c[i] = Operation::of(a[i], b[i]);
    } else if (block.column[0] != 0) {
      const T value = b[0];
      WT_INDEPENDENT
      for (Index i = 0; i < columns; ++i) c[i] = Operation::of(a[i], value);
    } else if (block.column[1] != 0) {
      const T value = a[0];
      WT_INDEPENDENT
      for (Index i = 0; i < columns; ++i) c[i] = Operation::of(value, b[i]);
    } else {
      const Result result = Operation::of(a[0], b[0]);
      for (Index i = 0; i < columns; ++i) c[i] = result;
    }
  }
}

// Unsigned integers of the width of T.
template <std::size_t bytes>
struct BitsOfWidth {};
template <>
struct BitsOfWidth<1> {
  using Type = std::uint8_t;
};
template <>
struct BitsOfWidth<2> {
  using Type = std::uint16_t;
};
template <>
struct BitsOfWidth<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOfWidth<8> {
  using Type = std::uint64_t;
};

// Where the signs of numbers are random, a branch is mispredicted for every second of them, so the bits are mixed.
template <class T>
T chosen(bool condition, T a, T b) {
  using Bits = typename BitsOfWidth<sizeof(T)>::Type;
  const auto mask = static_cast<Bits>(Bits{0} - static_cast<Bits>(condition));
  const auto of_a = static_cast<Bits>(__builtin_bit_cast(Bits, a) & mask);
  const auto of_b = static_cast<Bits>(__builtin_bit_cast(Bits, b) & static_cast<Bits>(~mask));
  return __builtin_bit_cast(T, static_cast<Bits>(of_a | of_b));
}

// An operand that doesn't move along the row is one number.
template <bool a_moves, bool b_moves, class T>
void select_row(const bool* condition, const T* a, const T* b, T* c, Index columns) {
  const T first = a_moves ? T{} : a[0], second = b_moves ? T{} : b[0];
  WT_INDEPENDENT
  for (Index i = 0; i < columns; ++i)
    c[i] = chosen(condition[i], a_moves ? a[i] : first, b_moves ? b[i] : second);
}

template <class T>
void select(const bool* condition, const T* a, const T* b, T* c, const Block& block) {
  using Row = void (*)(const bool*, const T*, const T*, T*, Index);
  constexpr Row rows[] = {select_row<false, false, T>, select_row<false, true, T>, select_row<true, false, T>,
                          select_row<true, true, T>};
  const auto [moves, a_moves, b_moves] = block.column;
  const Row select_one = rows[2 * (a_moves != 0) + (b_moves != 0)];
  for (Index row = 0; row < block.rows; ++row) {
    if (moves != 0) {
      select_one(condition, a, b, c, block.columns);
    } else {
      for (Index i = 0; i < block.columns; ++i) c[i] = condition[0] ? a[i * a_moves] : b[i * b_moves];
    }
    condition += block.row[0];
    a += block.row[1];
    b += block.row[2];
    c += block.out_row;
  }
}

template <class T>
constexpr ElementwiseOf<T> floating_loops{
    {map<Negate, T>, map<Exp, T>, map<Log, T>, map<Sqrt, T>, map<Square, T>, map<Abs, T>, map<Sign, T>,
     map<Relu, T>, map<Relu6, T>, map<Sigmoid, T>, map<Tanh, T>, map<Gelu, T>},
    {zip<Add, T, T>, zip<Subtract, T, T>, zip<Multiply, T, T>, zip<Divide, T, T>, zip<Maximum, T, T>,
     zip<Minimum, T, T>, zip<ReluGradient, T, T>, zip<Relu6Gradient, T, T>, zip<SigmoidGradient, T, T>,
     zip<TanhGradient, T, T>, zip<GeluGradient, T, T>, zip<Then<Relu, Add>, T, T>,
     zip<Then<Sigmoid, Add>, T, T>, zip<Then<Tanh, Add>, T, T>, zip<Then<Gelu, Add>, T, T>},
    {zip<Equal, T, bool>, zip<Less, T, bool>, zip<Greater, T, bool>},
    select<T>};

template <class T>
constexpr ElementwiseOf<T> integer_loops{{},
                                         {zip<Add, T, T>, zip<Subtract, T, T>, zip<Multiply, T, T>,
                                          zip<Divide, T, T>, zip<Maximum, T, T>, zip<Minimum, T, T>},
                                         {zip<Equal, T, bool>, zip<Less, T, bool>, zip<Greater, T, bool>},
                                         select<T>};

template <class Half>
void widen(const Half* x, float* y, Index count) {
  WT_INDEPENDENT
  for (Index i = 0; i < count; ++i) y[i] = widened(x[i]);
}

template <class Half>
void round(const float* x, Half* y, Index count) {
  WT_INDEPENDENT
  for (Index i = 0; i < count; ++i) y[i] = rounded<Half>(x[i]);
}

constexpr Elementwise elementwise{
    floating_loops<float>,       floating_loops<double>,           integer_loops<std::int32_t>,
    integer_loops<std::int64_t>, {widen<Float16>, round<Float16>}, {widen<BFloat16>, round<BFloat16>}};

}  // namespace

const Elementwise& WT_COPY(elementwise)() { return elementwise; }

}  // namespace wt::loops
