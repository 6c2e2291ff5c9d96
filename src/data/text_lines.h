#pragma once
// Text files as rows, one for each line: tf.data.TextLineDataset. Tensors hold numbers, so a text is a row of bytes that
// is filled up with zeros, like NumPy's strings of fixed length: the lines "a" and "bcd" are the uint8[2,3] tensor
// [["a", 0, 0], ["b", "c", "d"]].

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/rows.h"

namespace wt::data {

// The rows of each file, all as long as the longest line of all files. An element is {uint8[longest]}. Throws
// NotFoundError for a missing file, and InputError for one that can't be read. Dataset::from_files reads one file after the other, or several in turn.
std::vector<std::shared_ptr<const Rows>> read_text_lines(std::span<const std::string> files);

Tensor text_tensor(std::span<const std::string> texts);  // uint8[texts, longest]
std::vector<std::string> texts_of(const Tensor& texts);  // the inverse; of one text, too

}  // namespace wt::data
