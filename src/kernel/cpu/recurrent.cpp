#include "kernel/recurrent.h"

#include <array>

#include "kernel/cpu/contraction.h"
#include "kernel/cpu/isa.h"
#include "kernel/cpu/kernels.h"
#include "kernel/cpu/loops/recurrent.h"
#include "kernel/cpu/tiles.h"
#include "kernel/types.h"

namespace wt::cpu {
namespace {

constexpr std::int64_t alignment = 64;

// The scratch numbers of a pass come first in the workspace, and then the contraction's own.
std::int64_t aligned_bytes(std::int64_t elements, std::int64_t size) {
  return ceiling(elements * size, alignment) * alignment;
}

template <class T>
class Backend {
 public:
  Backend(device::Workers& workers, std::byte* workspace) : workers_(workers), workspace_(workspace) {}

  template <class F>
  void each(std::int64_t count, const F& f) {
    if (count == 0) return;
    run_rows(workers_, count, 1, [&](std::int64_t begin, std::int64_t size) {
      for (std::int64_t i = begin; i < begin + size; ++i) f(i);
    });
  }

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b,
                const T* a, const T* b, T* c, bool again = false) {
    if (m == 0 || n == 0) return;
    if constexpr (std::is_same_v<T, float>) {
      const loops::Contraction& contraction = WT_LOOPS(loops::contraction);
      const loops::MatrixProduct product{1, m, n, k, transpose_a, transpose_b};
      loops::Work work = contraction.product_work(product);
      if (again) work.tiles[0] = 0;  // b lies in the workspace as the first phase has laid it out
      run_phases(workers_, work, [&](int phase, std::int64_t tile, void* scratch) {
        contraction.product_tile(product, phase, tile, {a, b, c}, workspace_, scratch);
      });
    } else {  // float64 is meant for checks
      run_rows(workers_, m, n, [&](std::int64_t begin, std::int64_t size) {
        for (std::int64_t row = begin; row < begin + size; ++row)
          for (std::int64_t column = 0; column < n; ++column) {
            T sum = 0;
            for (std::int64_t i = 0; i < k; ++i)
              sum += (transpose_a ? a[i * m + row] : a[row * k + i]) *
                     (transpose_b ? b[column * k + i] : b[i * n + column]);
            c[row * n + column] = sum;
          }
      });
    }
  }

  // Steps of the cells in float32, whole sequences at once, by the loops of this processor.
  void each(std::int64_t, const element::Forward<float>& step) {
    run_sequences<element::ForwardStep<float>>(step, WT_LOOPS(loops::recurrent).forward);
  }
  void each(std::int64_t, const element::Backward<float>& step) {
    run_sequences<element::BackwardStep<float>>(step, WT_LOOPS(loops::recurrent).backward);
  }

 private:
  template <class Step>
  void run_sequences(const Step& step, void (*loop)(const Step&, std::int64_t, std::int64_t)) {
    constexpr std::int64_t functions_of_unit =
        5;  // an activation takes as long as many an element of other kernels
    run_rows(workers_, step.s.batch, functions_of_unit * step.s.units,
             [&](std::int64_t begin, std::int64_t count) { loop(step, begin, begin + count); });
  }

  device::Workers& workers_;
  std::byte* workspace_;
};

using Products = std::array<loops::MatrixProduct, 4>;

Products forward_products(const RecurrentLayout& l) {
  const loops::MatrixProduct gates{1, l.batch, l.width(), l.units, false, false};
  const loops::MatrixProduct candidate{1, l.batch, l.units, l.units, false, false};
  return {gates, candidate, gates, candidate};
}
Products backward_products(const RecurrentLayout& l) {
  const std::int64_t rows = l.batch * l.time;
  return {loops::MatrixProduct{1, l.batch, l.units, l.width(), false, true},
          {1, l.batch, l.units, l.units, false, true},
          {1, l.units, l.width(), rows, true, false},
          {1, l.units, l.units, rows, true, false}};
}

Bytes workspace(std::int64_t scratch, Type type, const Products& products) {
  if (type == Type::float64) return Bytes(aligned_bytes(scratch, sizeof(double)));
  std::int64_t most = 0;
  for (const loops::MatrixProduct& product : products)
    most = std::max<std::int64_t>(most, WT_LOOPS(loops::contraction).product_work(product).workspace_bytes);
  return Bytes(aligned_bytes(scratch, sizeof(float)) + most);
}

}  // namespace

template <element::Cell cell>
void recurrent(const Numbers& numbers, device::Workers& workers) {
  std::array specs{numbers.inputs[0].spec, numbers.inputs[1].spec};
  const RecurrentLayout l = recurrent_layout(cell, specs, numbers.attributes);
  with_floating(specs[0].type, [&](auto zero) {
    using T = decltype(zero);
    std::byte* memory = numbers.workspace.data();
    Backend<T> backend(workers, memory + aligned_bytes(l.forward_scratch(), sizeof(T)));
    wt::recurrent::forward(l, numbers, reinterpret_cast<T*>(memory), backend);
  });
}

template <element::Cell cell>
void recurrent_gradient(const Numbers& numbers, device::Workers& workers) {
  std::array specs{numbers.inputs[0].spec, numbers.inputs[1].spec};
  const RecurrentLayout l = recurrent_gradient_layout(cell, specs, numbers.attributes);
  with_floating(specs[0].type, [&](auto zero) {
    using T = decltype(zero);
    std::byte* memory = numbers.workspace.data();
    Backend<T> backend(workers, memory + aligned_bytes(l.backward_scratch(), sizeof(T)));
    wt::recurrent::backward(l, numbers, reinterpret_cast<T*>(memory), backend);
  });
}

template <element::Cell cell>
Bytes recurrent_workspace(const Call& call) {
  const RecurrentLayout l = recurrent_layout(cell, call.inputs, call.attributes);
  return workspace(l.forward_scratch(), call.inputs[0].type, forward_products(l));
}

template <element::Cell cell>
Bytes recurrent_gradient_workspace(const Call& call) {
  const RecurrentLayout l = recurrent_gradient_layout(cell, call.inputs, call.attributes);
  return workspace(l.backward_scratch(), call.inputs[0].type, backward_products(l));
}

#define WT_CELL(cell)                                                       \
  template void recurrent<cell>(const Numbers&, device::Workers&);          \
  template void recurrent_gradient<cell>(const Numbers&, device::Workers&); \
  template Bytes recurrent_workspace<cell>(const Call&);                    \
  template Bytes recurrent_gradient_workspace<cell>(const Call&);
WT_CELL(element::Cell::simple_rnn)
WT_CELL(element::Cell::gru)
WT_CELL(element::Cell::lstm)
#undef WT_CELL

}  // namespace wt::cpu
