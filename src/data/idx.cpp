#include "data/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "data/gzip.h"

namespace wt::data {
namespace {

// The types of the format by their code. Types without a value are not supported.
struct NumberType {
  unsigned char code{};
  std::string_view name{};
  std::optional<Type> type{};
};
constexpr std::array<NumberType, 6> number_types{{{0x08, "uint8", Type::uint8},
                                                  {0x09, "int8", std::nullopt},
                                                  {0x0B, "int16", std::nullopt},
                                                  {0x0C, "int32", Type::int32},
                                                  {0x0D, "float32", Type::float32},
                                                  {0x0E, "float64", Type::float64}}};

constexpr std::size_t magic_bytes = 4;
constexpr std::size_t bytes_per_extent = 4;
constexpr std::size_t longest_header = magic_bytes + bytes_per_extent * Shape::max_rank;

[[noreturn]] void refuse(const std::string& file, std::string fact, std::string remedy = {}) {
  Place place;
  place.file = file;
  throw InputError(Problem{std::move(place), std::move(fact), std::move(remedy)});
}

// The bytes of a file. A compressed file is decompressed only as far as its bytes are read.
class Contents {
 public:
  Contents(const std::filesystem::path& path, const Place& named_at)
      : stored_(read_text(path, named_at, largest_file)) {
    if (is_gzip(stored_)) gunzip_.emplace(stored_, path.string());
  }
  // The first `size` bytes, or all if there are fewer.
  std::string_view first(std::size_t size) {
    if (gunzip_) gunzip_->unpack(unpacked_, size);
    return std::string_view(gunzip_ ? unpacked_ : stored_).substr(0, size);
  }

 private:
  std::string stored_;
  std::string unpacked_{};
  std::optional<Gunzip> gunzip_{};
};

unsigned byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

Type read_type(std::string_view bytes, const std::string& file) {
  const std::string not_one = "this is not an IDX file";
  if (bytes.size() < magic_bytes)
    refuse(file, fmt::format("{}: it has only {} bytes", not_one, bytes.size()));
  if (byte_at(bytes, 0) != 0 || byte_at(bytes, 1) != 0)
    refuse(file, not_one + ": it does not begin with two zero bytes");
  const unsigned code = byte_at(bytes, 2);
  const auto* row = std::find_if(number_types.begin(), number_types.end(),
                                 [&](const auto& one) { return one.code == code; });
  if (row == number_types.end()) {
    refuse(file,
           fmt::format("{}: its third byte is {:#04x}, which is not the code of a type", not_one, code));
  }
  if (!row->type) {
    refuse(file, fmt::format("its numbers are {}, which is not supported", row->name),
           "known: uint8, int32, float32, float64");
  }
  return *row->type;
}

// Reads type and shape. The shape is checked without allocating memory for it, because the file may be
// malicious.
TensorSpec read_header(std::string_view bytes, const std::string& file) {
  TensorSpec spec{read_type(bytes, file), {}};
  const std::size_t axes = byte_at(bytes, 3);
  if (axes == 0) refuse(file, "its numbers have no axis", "at least one is required, for the rows");
  if (axes > Shape::max_rank) {
    refuse(file, fmt::format("its numbers have {} axes", axes),
           fmt::format("at most {} are supported", Shape::max_rank));
  }
  const std::size_t header = magic_bytes + bytes_per_extent * axes;
  if (bytes.size() < header) {
    refuse(file, fmt::format("the header should have {} bytes, but the file has {}", header, bytes.size()),
           "the file was cut off, or is not an IDX file");
  }
  std::int64_t total = bytes_per_element(spec.type);
  for (std::size_t at = magic_bytes; at < header; at += bytes_per_extent) {
    const std::int64_t extent = std::int64_t{byte_at(bytes, at)} << 24 | byte_at(bytes, at + 1) << 16 |
                                byte_at(bytes, at + 2) << 8 | byte_at(bytes, at + 3);
    // An extent of 0 is counted as 1, so that the size of a row is checked even if there are no rows.
    if (__builtin_mul_overflow(total, std::max<std::int64_t>(extent, 1), &total) ||
        total / bytes_per_element(spec.type) > Shape::most_elements)
      refuse(file, "the shape is larger than any memory");
    spec.shape.append(extent);
  }
  return spec;
}

void copy_big_endian(std::string_view numbers, Tensor& tensor) {
  static_assert(std::endian::native == std::endian::little,
                "this function reverses the bytes of each number");
  std::byte* target = tensor.view().data;
  std::memcpy(target, numbers.data(), numbers.size());
  const auto width = static_cast<std::size_t>(bytes_per_element(tensor.type()));
  if (width == 1) return;
  for (std::size_t at = 0; at < numbers.size(); at += width) std::reverse(target + at, target + at + width);
}

std::int64_t rows_of_images(const Tensor& images, const std::string& file) {
  const int rank = images.shape().rank();
  const bool is_shaded = images.type() == Type::uint8 || images.type() == Type::float32;
  if (is_shaded && (rank == 3 || rank == 4)) return images.shape()[0];
  refuse(file, fmt::format("expected images, found {}", print(images.spec())),
         "images are uint8 or float32, with the axes row, height, width and, optionally, channel");
}

// Divides pixels by 255, like the usual tutorial code. Multiplication by 1/255 would round differently.
Tensor as_floats(const Tensor& images) {
  if (images.type() != Type::uint8) return images;
  std::array<float, 256> shades{};
  for (std::size_t shade = 0; shade < shades.size(); ++shade)
    shades[shade] = static_cast<float>(shade) / 255.0F;
  Tensor floats = Tensor::zeros({Type::float32, images.shape()});
  std::ranges::transform(images.values<std::uint8_t>(), floats.values<float>().begin(),
                         [&](std::uint8_t shade) { return shades[shade]; });
  return floats;
}

Tensor as_labels(const Tensor& labels, const std::string& file) {
  if (labels.shape().rank() != 1 || is_floating(labels.type())) {
    refuse(file, fmt::format("expected labels, found {}", print(labels.spec())),
           "labels are one whole number per image");
  }
  if (labels.type() == Type::int32) return labels;
  Tensor wide = Tensor::zeros({Type::int32, labels.shape()});
  std::ranges::copy(labels.values<std::uint8_t>(), wide.values<std::int32_t>().begin());
  return wide;
}

constexpr std::array<std::string_view, 4> fashion_files{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

// The path of the plain file or, if that doesn't exist, of the compressed file.
std::optional<std::filesystem::path> find_fashion_file(const std::filesystem::path& folder,
                                                       std::string_view name) {
  std::error_code ignored;
  for (const char* suffix : {"", ".gz"}) {
    const std::filesystem::path path = folder / (std::string(name) + suffix);
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

}  // namespace

Tensor read_idx(const std::filesystem::path& path, const Place& named_at) {
  const std::string file = path.string();
  Contents contents(path, named_at);
  const TensorSpec spec = read_header(contents.first(longest_header), file);
  const std::size_t header = magic_bytes + bytes_per_extent * static_cast<std::size_t>(spec.shape.rank());
  const auto wanted = static_cast<std::size_t>(spec.bytes().count());
  // One byte more is read, to detect a file that is too long.
  const std::string_view numbers = contents.first(header + wanted + 1).substr(header);
  const std::string described = fmt::format("the header describes {}, {} bytes", print(spec), wanted);
  if (numbers.size() < wanted) {
    refuse(file, fmt::format("{}, but {} follow", described, numbers.size()), "the file was cut off");
  }
  if (numbers.size() > wanted) {
    refuse(file, described + ", but more follow", "the format allows nothing after the last number");
  }
  Tensor tensor = Tensor::zeros(spec);
  copy_big_endian(numbers, tensor);
  return tensor;
}

LabelledImages read_idx_images(const std::filesystem::path& images, const std::filesystem::path& labels,
                               const Place& images_named_at, const Place& labels_named_at) {
  Tensor pixels = read_idx(images, images_named_at);
  const std::int64_t rows = rows_of_images(pixels, images.string());
  Tensor classes = as_labels(read_idx(labels, labels_named_at), labels.string());
  if (classes.shape()[0] != rows) {
    refuse(labels.string(), fmt::format("{} labels for {} images", classes.shape()[0], rows),
           fmt::format("the images are in {}", images.string()));
  }
  pixels = as_floats(pixels);
  if (pixels.shape().rank() == 3) {
    Shape with_channel = pixels.shape();
    with_channel.append(1);
    pixels = pixels.reshaped(with_channel);
  }
  return {std::move(pixels), std::move(classes)};
}

FashionMnist read_fashion_mnist(const std::filesystem::path& folder, const Place& named_at) {
  std::array<std::filesystem::path, fashion_files.size()> paths;
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < fashion_files.size(); ++i) {
    if (const auto path = find_fashion_file(folder, fashion_files[i]))
      paths[i] = *path;
    else
      missing.push_back(fashion_files[i]);
  }
  if (!missing.empty()) {
    throw InputError(Problem{
        named_at,
        fmt::format("the folder \"{}\" does not contain {}", folder.string(), fmt::join(missing, ", ")),
        fmt::format(
            "Fashion-MNIST consists of four files, plain or with .gz at the end: {}; they are published "
            "at github.com/zalandoresearch/fashion-mnist",
            fmt::join(fashion_files, ", "))});
  }
  return {read_idx_images(paths[0], paths[1], named_at, named_at),
          read_idx_images(paths[2], paths[3], named_at, named_at)};
}

}  // namespace wt::data
