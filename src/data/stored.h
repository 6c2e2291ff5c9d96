#pragma once
// A dataset from a safetensors file.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/dataset.h"

namespace wt::data {

// The names of tensors in a safetensors file, and the places where the user wrote them: x are the inputs of a model
// in their order, y the labels of its outputs, and sample_weight how much the rows count.
struct StoredRows {
  std::filesystem::path file{};
  std::vector<std::string> x{"x"};
  std::vector<std::string> y{"y"};
  std::vector<std::string> sample_weight{};
  Place file_named_at{};
  Place x_named_at{};
  Place y_named_at{};
  Place sample_weight_named_at{};
};

// Elements of the inputs, then the labels, then the weights, one per row of the tensors. Throws InputError if a tensor
// doesn't exist, is a scalar, or if the tensors have different numbers of rows.
Dataset read_stored_rows(const StoredRows& stored);

}  // namespace wt::data
