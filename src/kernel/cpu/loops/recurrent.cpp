#include "kernel/cpu/loops/recurrent.h"

#include "kernel/cpu/loops/copies.h"

namespace wt::loops {

namespace {

using element::Cell;
using Index = std::int64_t;

// The step is taken by value: behind a reference it might change with every store, as far as the compiler can see. A
// branch that it can't decide beforehand would keep the loop from being vectorised.
template <Cell cell, class Functions, class Step>
void sequence(Step step, Index b, const Functions functions) {
  step.s.reset_after = true;
  WT_INDEPENDENT
  for (Index j = 0; j < step.s.units; ++j) step.template unit<cell>(b, j, functions, true);
}

template <class Functions, class Step>
void of_cell(const Step& step, Index b, const Functions& functions) {
  switch (step.s.cell) {
    case Cell::lstm:
      return sequence<Cell::lstm>(step, b, functions);
    case Cell::gru:
      return sequence<Cell::gru>(step, b, functions);
    case Cell::simple_rnn:
      return sequence<Cell::simple_rnn>(step, b, functions);
  }
}

// Keras' defaults vectorise. Other activations, a gru with the reset gate before the product, and sequences that skip
// the step go unit by unit.
template <class Functor, class Step>
void steps(const Step& data, Index first, Index end) {
  const Functor step{data};
  const bool is_usual = step.s.reset_after && step.s.activation == CellActivation::tanh &&
                        (step.s.gate == CellActivation::sigmoid || step.s.cell == Cell::simple_rnn);
  for (Index b = first; b < end; ++b)
    if (is_usual && element::is_computed(step.s, b))
      of_cell(step, b, element::TanhAndSigmoid{});
    else
      for (Index j = 0; j < step.s.units; ++j) step(b * step.s.units + j);
}

constexpr Recurrent recurrent{steps<element::Forward<float>, element::ForwardStep<float>>,
                              steps<element::Backward<float>, element::BackwardStep<float>>};

}  // namespace

const Recurrent& WT_COPY(recurrent)() { return recurrent; }

}  // namespace wt::loops
