#pragma once
// A dataset from CSV files, as tf.data.experimental.CsvDataset and pandas.read_csv read them. Columns become
// tensors:
//
//   sepal,petal,species                 x: {sepal, petal}, float32[2]    {5.1, 1.4}
//   5.1,1.4,setosa               ->     y: {species}, int64[]            0
//
// Numbers are converted from decimal once, to the type that is wanted, as TensorFlow does. Missing values are
// refused. Read next: csv_text.h, which splits the text.

#include <map>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/wanted_row.h"

namespace wt::data {

// The columns of one tensor, in row-major order.
struct CsvTensor {
  std::vector<std::string> columns{};  // none: all that no other tensor has
  WantedRow row{};
  bool is_label = false;
  Place named_at{};
};

struct CsvRows {
  std::vector<NamedFile> files{};
  std::vector<std::string> names{};  // of the columns; none: the first record of each file has them
  char delimiter = ',';
  // By column, the words that may stand in it. A word becomes its position in the list.
  std::map<std::string, std::vector<std::string>> classes{};
  Place classes_named_at{};
  std::vector<CsvTensor> tensors{};
};

// The elements of the tensors, one per record of the files, one file after the other. Throws InputError with
// all problems of the first file that has any, but at most `most_problems_of_data`.
Dataset read_csv(const CsvRows& wanted);

}  // namespace wt::data
