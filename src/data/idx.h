#pragma once
// Reads IDX files, the format of MNIST (LeCun, Cortes and Burges, 1998) and Fashion-MNIST. A file consists of
// two zero bytes, a byte for the type of the numbers, a byte for the number of axes, four bytes per axis for
// its extent, and the numbers. All integers are big-endian.

#include <filesystem>

#include "base/error.h"
#include "tensor/tensor.h"

namespace wt::data {

// Reads a plain or gzip-compressed file; the file's name doesn't matter. The types uint8, int32, float32 and
// float64 are supported. Throws InputError for files that can't be read or are not correct. `named_at` is the
// place where the user wrote the path.
Tensor read_idx(const std::filesystem::path& path, const Place& named_at = {});

// Images and labels in the form that models expect. Images are float32 and have a channel axis; pixels of
// type uint8 are divided by 255. Labels are int32, one per image.
struct LabelledImages {
  Tensor images{};
  Tensor labels{};
};
LabelledImages read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                               const Place& images_named_at = {}, const Place& labels_named_at = {});

// Fashion-MNIST (Xiao, Rasul and Vollgraf, 2017): four IDX files in one folder, plain or compressed. The
// files of MNIST have the same names, so they can be read, too.
struct FashionMnist {
  LabelledImages train{};
  LabelledImages test{};
};
FashionMnist read_fashion_mnist(const std::filesystem::path& folder, const Place& named_at = {});

}  // namespace wt::data
