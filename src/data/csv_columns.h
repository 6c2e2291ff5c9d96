#pragma once
// Which fields of a CSV record become which numbers of an element.

#include <optional>
#include <string>
#include <vector>

#include "data/csv.h"

namespace wt::data {

// One column that a tensor wants: the number of its field in a record, and the position of its number in the
// row of the tensor.
struct Column {
  std::string name{};
  std::size_t field = 0;
  const std::vector<std::string>* classes = nullptr;  // null: the field is a number
  std::size_t tensor = 0;
  std::int64_t position = 0;
  std::int64_t below = 0;  // the field is a class or an id in [0, below); 0: any number
  bool one_hot = false;    // the row gets a 1 at the position of the class
};

struct Columns {
  std::vector<Column> columns{};
  std::vector<TensorSpec> rows{};  // by tensor
};

// Finds the columns of all tensors among the names of a file's columns. `has_header` says whether the file
// itself gave the names. Adds a problem for each column that is missing or twice there, and for each tensor
// whose number of columns is another than that of its row.
Columns choose_columns(const CsvRows& wanted, const std::vector<std::string>& names, bool has_header,
                       const std::string& file, Problems& problems);

}  // namespace wt::data
