#pragma once
// Reads and writes safetensors files (huggingface.co/docs/safetensors), which PyTorch, NumPy and other
// programs read as well. A file consists of 8 bytes with the length of the header, a JSON header and the
// numbers without gaps:
//
//   {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"steps": "10"}}
//
// A file may be damaged or malicious. The whole header is therefore checked against the length of the file
// before memory for any tensor is allocated.

#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "tensor/tensor.h"

namespace wt {

// The content of a file: tensors and texts by name.
struct TensorFile {
  std::map<std::string, Tensor> tensors{};
  std::map<std::string, std::string> metadata{};
};

// Throws InputError for files that can't be read or are not correct. `named_at` is the place where the user
// wrote the path.
TensorFile read_safetensors(const std::filesystem::path& path, const Place& named_at = {});

// Writes tensors in the order of the format's own library: wide types first, so that all numbers are aligned,
// and by name within a type. The same content always gives the same bytes. Requires: all tensors have
// numbers.
void write_safetensors(const std::filesystem::path& path, const TensorFile& content);

}  // namespace wt
