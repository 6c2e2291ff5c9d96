#include "kernel/cpu/loops/reduction.h"

#include <type_traits>

#include "kernel/cpu/loops/copies.h"

namespace wt::loops {

namespace {

using Index = std::int64_t;

// A row is reduced in 32 lanes, where element i goes to lane i mod 32, and then lane by lane. This fixed
// order gives the same bits on every instruction set.
constexpr Index lanes = 32;

template <class T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -static_cast<T>(__builtin_inff());
  if constexpr (sizeof(T) == 4) return static_cast<T>(-2147483647 - 1);
  return static_cast<T>(-9223372036854775807LL - 1);
}

struct Sum {
  template <class A>
  static constexpr A start() {
    return A{0};
  }
  template <class A>
  static A combine(A left, A right) {
    if constexpr (std::is_integral_v<A>) {
      using Unsigned = std::make_unsigned_t<A>;  // wraps around
      return static_cast<A>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
    } else {
      return left + right;
    }
  }
};

struct Maximum {
  template <class A>
  static constexpr A start() {
    return lowest<A>();
  }
  template <class A>
  static A combine(A left, A right) {
    return right > left || right != right ? right : left;
  }
};

template <class Operation, class T, class A>
A of_row(const T* x, Index count) {
  if (count < lanes) {  // The result is the same, since empty lanes add nothing.
    A all = Operation::template start<A>();
    for (Index i = 0; i < count; ++i) all = Operation::combine(all, static_cast<A>(x[i]));
    return all;
  }
  A lane[lanes];
  for (Index j = 0; j < lanes; ++j) lane[j] = Operation::template start<A>();
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    for (Index j = 0; j < lanes; ++j) lane[j] = Operation::combine(lane[j], static_cast<A>(x[i + j]));
  for (Index j = 0; i + j < count; ++j) lane[j] = Operation::combine(lane[j], static_cast<A>(x[i + j]));
  A all = lane[0];
  for (Index j = 1; j < lanes; ++j) all = Operation::combine(all, lane[j]);
  return all;
}

// Takes four rows at a time, in the same order as one by one, so that `all` is read and written a quarter as
// often.
template <class Operation, class T, class A>
void of_rows(const T* x, Index rows, Index row_stride, Index columns, A* all) {
  Index row = 0;
  for (; row + 4 <= rows; row += 4, x += 4 * row_stride) {
    const T *second = x + row_stride, *third = second + row_stride, *fourth = third + row_stride;
    WT_INDEPENDENT
    for (Index j = 0; j < columns; ++j) {
      A sum = Operation::combine(all[j], static_cast<A>(x[j]));
      sum = Operation::combine(sum, static_cast<A>(second[j]));
      sum = Operation::combine(sum, static_cast<A>(third[j]));
      all[j] = Operation::combine(sum, static_cast<A>(fourth[j]));
    }
  }
  for (; row < rows; ++row, x += row_stride) {
    WT_INDEPENDENT
    for (Index j = 0; j < columns; ++j) all[j] = Operation::combine(all[j], static_cast<A>(x[j]));
  }
}

template <class T>
Index argmax(const T* x, Index count) {
  Index best = 0;
  for (Index i = 1; i < count; ++i) best = x[i] > x[best] ? i : best;
  return best;
}

template <class Operation, class T, class A>
constexpr Reducer<T, A> reducer{Operation::template start<A>(), of_row<Operation, T, A>,
                                of_rows<Operation, T, A>, Operation::template combine<A>};

template <class T, class A>
constexpr ReductionOf<T, A> loops_of{reducer<Sum, T, A>, reducer<Maximum, T, T>, argmax<T>};

constexpr Reduction reduction{loops_of<float, double>, loops_of<double, double>,
                              loops_of<std::int32_t, std::int64_t>, loops_of<std::int64_t, std::int64_t>};

}  // namespace

const Reduction& WT_COPY(reduction)() { return reduction; }

}  // namespace wt::loops
