#pragma once
// A dataset from TFRecord files of tf.train.Example, as tf.data.TFRecordDataset and
// tf.io.parse_single_example with FixedLenFeature read them:
//
//   {"image": {"shape": [28, 28, 1], "dtype": "uint8"}, "label": {"shape": []}}
//
// A bytes_list of one text is raw numbers, as tf.io.decode_raw takes them: little-endian, row by row. Encoded
// images are refused. Read next: record_file.h, then example.h.

#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/wanted_row.h"

namespace wt::data {

// A feature that every record has. Without a type it has that of its list: int64, float32, or uint8 of bytes.
struct RecordFeature {
  std::string name{};
  Shape shape{};
  std::optional<Type> type{};
};

// A tensor of an element: a feature, in the type and shape that are wanted.
struct RecordTensor {
  std::size_t feature = 0;
  WantedRow row{};
  bool is_label = false;
  Place named_at{};
};

struct RecordRows {
  std::vector<NamedFile> files{};
  std::vector<RecordFeature> features{};
  std::vector<RecordTensor> tensors{};
};

// The elements of the tensors, one per record, one file after the other. Throws InputError with all problems
// of the first file that has any, but at most `most_problems_of_data`.
Dataset read_tfrecords(const RecordRows& wanted);

}  // namespace wt::data
