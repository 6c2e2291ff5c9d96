#pragma once
// Sums along a row that vectorise without changing their order. There are sixteen lanes; element i is added
// to lane i mod 16, and the lanes are added in pairs at the end. The order is the same on every instruction
// set, and the rounding error grows with a sixteenth of the length only.

#include <cstdint>

namespace wt::loops {
namespace {

constexpr std::int64_t lanes = 16;

template <class T>
T add_lanes(T* lane) {
  for (std::int64_t half = lanes / 2; half > 0; half /= 2)
    for (std::int64_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}

// The sum of term(i) for i in [0, count).
template <class T, class Term>
T sum_of(std::int64_t count, Term term) {
  T lane[lanes] = {};
  const std::int64_t whole = count - count % lanes;
  for (std::int64_t first = 0; first < whole; first += lanes)
    for (std::int64_t i = 0; i < lanes; ++i) lane[i] += term(first + i);
  for (std::int64_t i = whole; i < count; ++i) lane[i - whole] += term(i);
  return add_lanes(lane);
}

}  // namespace
}  // namespace wt::loops
