// Tensors with the numbers 0, 1, 2, ... as rows, so that a test can see which rows it got.
#pragma once

#include <numeric>

#include "data/dataset.h"

namespace wt::test {

inline Tensor range(std::int64_t count) {
  Tensor tensor = Tensor::zeros({Type::int64, {count}});
  std::iota(tensor.values<std::int64_t>().begin(), tensor.values<std::int64_t>().end(), 0);
  return tensor;
}

inline std::vector<std::int64_t> numbers_of(const Tensor& tensor) {
  const auto values = tensor.values<std::int64_t>();
  return {values.begin(), values.end()};
}

}  // namespace wt::test
