#pragma once
// Rows with random access by their number. Transformations such as shuffle, take and repeat process the
// numbers of such rows only. The contents are read once, when rows are gathered into a batch.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace wt::data {

using Element = std::vector<Tensor>;  // usually features and labels

class Rows {
 public:
  virtual ~Rows() = default;

  virtual std::int64_t count() const = 0;
  virtual const std::vector<TensorSpec>& specs() const = 0;  // the components of one row
  // Stacks the rows with these numbers along a new axis 0. It must be a pure function: the contents of a row
  // don't depend on other rows and earlier calls.
  virtual Element gather(std::span<const std::int64_t> numbers) const = 0;
};

// The slices of tensors along axis 0. Consecutive rows are gathered as a view, without a copy. Requires:
// there is at least one tensor, none is a scalar, and all have the same number of rows.
std::shared_ptr<const Rows> rows_of(Element tensors);

// The rows of all parts, one part after the other. Requires: there is at least one part, and all have the same specs.
std::shared_ptr<const Rows> joined_rows(std::vector<std::shared_ptr<const Rows>> parts);

// The int64 scalars first, first + step, first + 2 step, ..., which take no memory.
std::shared_ptr<const Rows> numbered_rows(std::int64_t count, std::int64_t first = 0, std::int64_t step = 1);

// `count` rows in which every element has the same value, like numpy.ones.
std::shared_ptr<const Rows> constant_rows(std::int64_t count, std::vector<TensorSpec> specs,
                                          double value = 1);

// The spec of `count` stacked rows.
TensorSpec stacked(const TensorSpec& row, std::int64_t count);  // [28,28,1] -> [64,28,28,1]

}  // namespace wt::data
