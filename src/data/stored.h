#pragma once
// A dataset from a safetensors file.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/dataset.h"

namespace wt::data {

// The names of tensors in a safetensors file, and the places where the user wrote them: x are the inputs of a model
// in their order, and y the labels of its outputs.
struct StoredRows {
  std::filesystem::path file{};
  std::vector<std::string> x{"x"};
  std::vector<std::string> y{"y"};
  Place file_named_at{};
  Place x_named_at{};
  Place y_named_at{};
};

// Elements of the inputs and then the labels, one per row of the tensors. Throws InputError if a tensor doesn't exist,
// is a scalar, or if the tensors have different numbers of rows.
Dataset read_stored_rows(const StoredRows& stored);

}  // namespace wt::data
