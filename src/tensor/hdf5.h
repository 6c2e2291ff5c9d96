#pragma once
// Reads and writes HDF5 files (docs.hdfgroup.org), in which Keras stores weights: a tree of groups with datasets, and
// attributes that are texts.
//
//   const Hdf5File file("w.weights.h5");
//   const Tensor kernel = file.read("layers/dense/vars/0", {Type::float32, {2, 3}});
//
// A file may be damaged or malicious. The shape of a dataset is therefore compared with the expected one before memory
// is allocated, links and datasets that lead to other files are refused, and a process of its own does the reading, since
// the library doesn't survive every damaged file. A build without the HDF5 library refuses
// all such files, with the package to install.

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tensor/tensor.h"

namespace wt {

// Whether the first bytes are those of an HDF5 file.
inline bool is_hdf5(std::string_view first_bytes) { return first_bytes.starts_with("\x89HDF\r\n\x1a\n"); }

class Hdf5File {
 public:
  // Throws InputError for files that can't be read or are not correct. `named_at` is the place where the user wrote the
  // path.
  explicit Hdf5File(const std::filesystem::path& path, const Place& named_at = {});
  // A file inside another one: `image` is its content, and `name` names it in errors.
  Hdf5File(std::string_view image, std::string name);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::string& name() const { return name_; }
  const std::set<std::string, std::less<>>& datasets() const { return datasets_; }  // "layers/dense/vars/0"
  const std::set<std::string, std::less<>>& groups() const { return groups_; }      // "" is the outermost

  // Throws InputError if the dataset has another shape, or no numbers of this kind: whole ones for a type of whole
  // numbers, others for the others. Requires: datasets() has the path.
  Tensor read(std::string_view path, const TensorSpec& spec) const;

  // The attribute of a group: one text, or a list of texts. Empty if the group has no such attribute. Throws InputError
  // if the attribute is something else. Requires: groups() has the path.
  std::vector<std::string> texts(std::string_view group, std::string_view attribute) const;

 private:
  void list();

  struct State;
  std::string name_;
  std::unique_ptr<State> state_;
  std::set<std::string, std::less<>> datasets_{};
  std::set<std::string, std::less<>> groups_{};
};

// What is written: datasets by their paths, and for a path of a group its attributes with one text each. Groups on the
// way to a dataset are made.
struct Hdf5Content {
  std::map<std::string, Tensor> datasets{};
  std::map<std::string, std::map<std::string, std::string>> groups{};
};

// The bytes of such a file. The same content always gives the same bytes. Requires: all tensors have numbers.
std::string hdf5_image(const Hdf5Content& content);

}  // namespace wt
