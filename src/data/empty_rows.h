#pragma once

#include <string>
#include <vector>

#include "base/free_memory.h"
#include "data/rows.h"

namespace wt::data {

// Zeroed tensors for `count` rows of a file. Throws InputError if this machine has no memory for them.
inline Element empty_rows(const std::vector<TensorSpec>& rows, std::int64_t count, const std::string& file) {
  Bytes size(0);
  for (const TensorSpec& row : rows) size += stacked(row, count).bytes();
  require_memory(size, fmt::format("what the rows of \"{}\" become", file),
                 "take fewer rows or smaller ones");
  Element tensors;
  for (const TensorSpec& row : rows) tensors.push_back(Tensor::zeros(stacked(row, count)));
  return tensors;
}

}  // namespace wt::data
