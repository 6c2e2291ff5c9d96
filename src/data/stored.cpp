#include "data/stored.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "base/utf8.h"
#include "tensor/safetensors.h"

namespace wt::data {
namespace {

// Finds a tensor by its name. Returns null and adds a problem if it doesn't exist or has no rows.
const Tensor* find(const TensorFile& content, const std::string& name, const Place& named_at,
                   const std::string& file, Problems& problems) {
  const auto found = content.tensors.find(name);
  if (found == content.tensors.end()) {
    std::vector<std::string_view> known;
    for (const auto& [known_name, tensor] : content.tensors) known.push_back(known_name);
    problems.add(named_at, fmt::format("\"{}\" contains no tensor \"{}\"", file, printable(name)),
                 did_you_mean(name, known));
    return nullptr;
  }
  if (found->second.shape().rank() == 0) {
    problems.add(named_at, fmt::format("the tensor \"{}\" of \"{}\" is a scalar", printable(name), file),
                 "a dataset needs rows along the first axis");
    return nullptr;
  }
  return &found->second;
}

}  // namespace

Dataset read_stored_rows(const StoredRows& stored) {
  const std::string file = stored.file.string();
  const TensorFile content = read_safetensors(stored.file, stored.file_named_at);
  Problems problems;
  std::vector<Tensor> columns;
  std::string first;  // the name of the first tensor that was found
  const auto add = [&](const std::string& name, const Place& named_at) {
    const Tensor* found = find(content, name, named_at, file, problems);
    if (found == nullptr) return;
    if (columns.empty())
      first = name;
    else if (found->shape()[0] != columns.front().shape()[0])
      problems.add(named_at,
                   fmt::format("\"{}\" has {} rows, but \"{}\" has {}", printable(name), found->shape()[0],
                               printable(first), columns.front().shape()[0]),
                   "features and labels must have the same number of rows");
    columns.push_back(*found);
  };
  for (const std::string& name : stored.x) add(name, stored.x_named_at);
  for (const std::string& name : stored.y) add(name, stored.y_named_at);
  for (const std::string& name : stored.sample_weight) add(name, stored.sample_weight_named_at);
  problems.throw_if_any();
  return Dataset::from_tensor_slices(columns);
}

}  // namespace wt::data
