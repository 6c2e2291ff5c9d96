#include "data/feature_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "data/number_text.h"

namespace wt::data {
namespace {

// The first bytes of a format, and where a second mark follows.
struct ImageFormat {
  std::string_view name{};
  std::string_view mark{};
  std::string_view second{};
  std::size_t second_at = 0;
};
constexpr std::array<ImageFormat, 5> image_formats{{{"JPEG", "\xff\xd8\xff"},
                                                    {"PNG", "\x89PNG\r\n\x1a\n"},
                                                    {"GIF", "GIF8"},
                                                    {"WebP", "RIFF", "WEBP", 8},
                                                    {"BMP", "BM"}}};

std::string_view image_format(std::string_view bytes) {
  for (const ImageFormat& format : image_formats) {
    if (!bytes.starts_with(format.mark)) continue;
    if (format.second.empty() ||
        bytes.substr(std::min(bytes.size(), format.second_at)).starts_with(format.second))
      return format.name;
  }
  return {};
}

Type type_of_list(ListKind kind) {
  if (kind == ListKind::bytes) return Type::uint8;
  return kind == ListKind::floats ? Type::float32 : Type::int64;
}

// A list of floats gives floating numbers, one of integers whole ones, and bytes can be any.
bool fits(ListKind kind, Type type) {
  return kind == ListKind::bytes || is_floating(type) == (kind == ListKind::floats);
}

// The numbers of a feature in memory, of type T, which need not be aligned.
class Numbers {
 public:
  Numbers(const Feature& values, Type type)
      : type_(values.kind == ListKind::bytes ? type : type_of_list(values.kind)) {
    if (values.kind == ListKind::bytes) bytes_ = values.bytes.front();
    if (values.kind == ListKind::floats) bytes_ = as_bytes(values.floats);
    if (values.kind == ListKind::int64s) bytes_ = as_bytes(values.int64s);
  }

  std::int64_t count() const { return std::ssize(bytes_) / bytes_per_element(type_); }
  Type type() const { return type_; }

  template <class T>
  T get(std::int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) {
      return bytes_[static_cast<std::size_t>(i)] != 0;
    } else {
      T number{};
      std::memcpy(&number, bytes_.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      return number;
    }
  }

 private:
  template <class T>
  static std::string_view as_bytes(const std::vector<T>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
  }

  Type type_;
  std::string_view bytes_{};
};

std::optional<FeatureFault> check_bytes(const Feature& values, const RecordFeature& feature, Type type) {
  if (values.bytes.size() != 1)
    return FeatureFault{fmt::format("has {} texts", values.bytes.size()), "raw numbers are one text"};
  const std::string_view bytes = values.bytes.front();
  const std::int64_t wanted = feature.shape.elements() * bytes_per_element(type);
  if (std::ssize(bytes) == wanted) return std::nullopt;
  const std::string_view format = image_format(bytes);
  if (!format.empty())
    return FeatureFault{
        fmt::format("is a {} image, and images are not decoded here", format),
        "write decoded numbers: tf.io.decode_image(image).numpy().tobytes() in the bytes_list, with its "
        "shape and \"dtype\": \"uint8\" here; or a safetensors file"};
  return FeatureFault{fmt::format("has {} bytes, and {} has {}", bytes.size(),
                                  print(TensorSpec{type, feature.shape}), wanted),
                      "state the shape and the dtype of the numbers that tobytes() wrote"};
}

std::optional<FeatureFault> check_list(const Feature& values, const RecordFeature& feature) {
  if (values.kind == ListKind::none) return FeatureFault{"is empty", "every record needs a value of it"};
  const Type type = feature.type.value_or(type_of_list(values.kind));
  if (!fits(values.kind, type))
    return FeatureFault{fmt::format("is a {}, and {} is stated", name(values.kind), wt::name(type)),
                        fmt::format("state {}", wt::name(type_of_list(values.kind)))};
  if (values.kind == ListKind::bytes) return check_bytes(values, feature, type);
  const std::int64_t count = Numbers(values, type).count();
  if (count == feature.shape.elements()) return std::nullopt;
  return FeatureFault{fmt::format("has {} numbers, and the shape {} has {}", count, print(feature.shape),
                                  feature.shape.elements()),
                      "state the shape of the feature; features whose length varies are not offered"};
}

template <class To, class From>
std::optional<To> converted(From number) {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && std::is_integral_v<From> &&
                !std::is_same_v<From, bool>) {
    if (!std::in_range<To>(number)) return std::nullopt;
  }
  return static_cast<To>(number);
}

bool is_one_hot(const RecordTensor& tensor, const RecordFeature& feature) {
  return tensor.row.one_hot && feature.shape.elements() == 1 && tensor.row.shape &&
         tensor.row.shape->elements() > 1;
}

FeatureFault out_of_range(const std::string& number, std::int64_t below) {
  return {fmt::format("is {}, and the model takes 0 to {}", number, below - 1),
          "classes and ids are counted from 0"};
}

template <class From>
std::optional<FeatureFault> write_one_hot(const Numbers& numbers, const RecordTensor& tensor,
                                          const View& row) {
  const From written = numbers.get<From>(0);
  if (is_floating(numbers.type())) return FeatureFault{"has no whole number", "a class is a whole number"};
  const auto number = static_cast<std::int64_t>(written);
  if (number < 0 || number >= tensor.row.below) return out_of_range(std::to_string(number), tensor.row.below);
  with_type(row.spec.type, [&]<class To>(To) { row.values<To>()[static_cast<std::size_t>(number)] = To{1}; });
  return std::nullopt;
}

// Ids may be floating numbers, which a model rounds down.
template <class From, class To>
std::optional<FeatureFault> write_numbers(const Numbers& numbers, std::int64_t below, const View& row) {
  const auto into = row.values<To>();
  for (std::size_t i = 0; i < into.size(); ++i) {
    const From number = numbers.get<From>(static_cast<std::int64_t>(i));
    const auto real = static_cast<double>(number);
    if (below > 0 && !(real >= 0 && real < static_cast<double>(below)))
      return out_of_range(fmt::format("{}", number), below);
    const std::optional<To> fitting = converted<To>(number);
    if (!fitting) return FeatureFault{fmt::format("has {}, which no {} is", number, name(row.spec.type)), ""};
    into[i] = *fitting;
  }
  return std::nullopt;
}

// [28,28] is [28,28,1], as Keras takes it.
Shape without_last_ones(Shape shape) {
  while (shape.rank() > 0 && shape.last() == 1) shape = shape.without(shape.rank() - 1);
  return shape;
}

}  // namespace

TensorSpec row_of(const RecordTensor& tensor, const RecordFeature& feature,
                  std::optional<FeatureFault>& fault) {
  const Shape wanted = tensor.row.shape.value_or(feature.shape);
  if (!is_one_hot(tensor, feature) && without_last_ones(wanted) != without_last_ones(feature.shape))
    fault = FeatureFault{fmt::format("has shape {}, and the model takes {} of {}", print(feature.shape),
                                     tensor.is_label ? "labels" : "an input", print(wanted)),
                         "state the shape as the model takes it, or take another model"};
  if (feature.type && is_floating(*feature.type) && !is_floating(tensor.row.type))
    fault = FeatureFault{fmt::format("has {}, and {} is needed", name(*feature.type), name(tensor.row.type)),
                         "classes and ids are whole numbers"};
  return {tensor.row.type, wanted};
}

std::optional<FeatureFault> write_feature(const Feature& values, const RecordFeature& feature,
                                          const RecordTensor& tensor, const View& row) {
  if (auto fault = check_list(values, feature)) return fault;
  const Numbers numbers(values, feature.type.value_or(type_of_list(values.kind)));
  if (is_floating(numbers.type()) && !is_floating(row.spec.type))
    return FeatureFault{fmt::format("has {}, and {} is needed", name(numbers.type()), name(row.spec.type)),
                        "classes and ids are whole numbers"};
  return with_type(numbers.type(), [&]<class From>(From) {
    if (is_one_hot(tensor, feature)) return write_one_hot<From>(numbers, tensor, row);
    const std::int64_t below = tensor.row.one_hot ? 0 : tensor.row.below;
    return with_type(row.spec.type,
                     [&]<class To>(To) { return write_numbers<From, To>(numbers, below, row); });
  });
}

}  // namespace wt::data
