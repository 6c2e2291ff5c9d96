#pragma once
// One tensor of an element, as the model and its loss want it, and the rows of several files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/tensor.h"

namespace wt::data {

// What a file's numbers become. For example, the labels of SparseCategoricalCrossentropy over ten classes are
// {int64, [], .below = 10}, and those of CategoricalCrossentropy {float32, [10], .below = 10, .one_hot =
// true}.
struct WantedRow {
  Type type = Type::float32;
  std::optional<Shape> shape{};  // absent: as the file gives it
  std::int64_t below = 0;        // whole numbers are classes or ids in [0, below); 0: any number
  bool one_hot = false;          // a row that is one class becomes a 1 at that class among zeros
};

// A file of a dataset, and the place where the user named it.
struct NamedFile {
  std::filesystem::path path{};
  Place named_at{};
};

inline std::vector<std::string> names_of(const std::vector<NamedFile>& files) {
  std::vector<std::string> names;
  for (const NamedFile& file : files) names.push_back(file.path.string());
  return names;
}

// Problems of one file beyond this number are not reported: a file of a wrong kind has one in every row.
inline constexpr std::size_t most_problems_of_data = 20;

}  // namespace wt::data
