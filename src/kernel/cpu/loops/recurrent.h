#pragma once

#include <cstdint>

#include "kernel/element/recurrent.h"

namespace wt::loops {

// A step of a recurrent cell for the sequences [first, end).
struct Recurrent {
  void (*forward)(const element::ForwardStep<float>& step, std::int64_t first, std::int64_t end);
  void (*backward)(const element::BackwardStep<float>& step, std::int64_t first, std::int64_t end);
};

const Recurrent& recurrent_baseline();
const Recurrent& recurrent_avx2();
const Recurrent& recurrent_avx512();

}  // namespace wt::loops
