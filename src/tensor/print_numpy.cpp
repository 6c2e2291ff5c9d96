#include "tensor/print_numpy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "base/narrow.h"

namespace wt {

namespace {

// numpy's default print options.
constexpr int precision = 8;
constexpr std::size_t line_width = 75;
constexpr std::int64_t threshold = 1000;
constexpr std::int64_t edge_items = 3;

// ---- One number. Its digits are the shortest decimal that parses back to the same value, as in numpy's
// Dragon4.

// The number d.ddd x 10^exponent. `digits` are those digits without the point; zero has the digits "0".
struct Decimal {
  bool negative = false;
  std::string digits{};
  int exponent = 0;
};

Decimal decimal_of(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative) text.remove_prefix(1);
  const std::size_t e = text.find('e');
  for (const char letter : text.substr(0, e))
    if (letter != '.') decimal.digits += letter;
  const std::string exponent(text.substr(text[e + 1] == '+' ? e + 2 : e + 1));
  decimal.exponent = std::stoi(exponent);
  decimal.digits.erase(std::max<std::size_t>(1, decimal.digits.find_last_not_of('0') + 1));
  return decimal;
}

template <class T>
Decimal shortest(T value) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return decimal_of({text.data(), end.ptr});
}

// The value, correctly rounded to `kept` digits behind the first one.
template <class T>
Decimal exact(T value, int kept) {
  std::array<char, 512> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(value),
                                 std::chars_format::scientific, std::max(kept, 0));
  return decimal_of({text.data(), end.ptr});
}

// The shortest decimal, if it has between `least` and `most` digits behind the first one. Otherwise, like
// numpy, the value correctly rounded to that many digits.
template <class T>
Decimal decimal_between(T value, int least, int most) {
  const Decimal decimal = shortest(value);
  const int kept = narrow<int>(decimal.digits.size()) - 1;
  return kept >= least && kept <= most ? decimal : exact(value, kept < least ? least : most);
}

// The text of a number, split at the point, so that a column of numbers can be aligned at the point.
struct Parts {
  std::string whole{};
  std::string fraction{};
  std::string exponent{};  // "+05"
};

Parts positional(const Decimal& decimal) {
  const int split = decimal.exponent + 1;  // digits left of the point
  const auto count = narrow<int>(decimal.digits.size());
  Parts parts;
  parts.whole = split <= 0 ? "0" : decimal.digits.substr(0, static_cast<std::size_t>(split));
  if (split > count) parts.whole.append(static_cast<std::size_t>(split - count), '0');
  if (split <= 0) parts.fraction.assign(static_cast<std::size_t>(-split), '0');
  if (split < count) parts.fraction += decimal.digits.substr(static_cast<std::size_t>(std::max(split, 0)));
  parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
  if (decimal.negative) parts.whole.insert(0, 1, '-');
  return parts;
}

Parts scientific(const Decimal& decimal) {
  return {(decimal.negative ? "-" : "") + decimal.digits.substr(0, 1), decimal.digits.substr(1),
          fmt::format("{:+03d}", decimal.exponent)};
}

// ---- A column of numbers, which all have the same width.

using Format = std::function<std::string(std::size_t element)>;
using Elements = std::vector<std::size_t>;  // the indices of the elements that are printed

template <class T>
class FloatColumn {
 public:
  FloatColumn(std::span<const T> values, const Elements& printed) : values_(values) {
    choose_exponents(printed);
    bool all_finite = true;
    bool negative_infinity = false;
    std::size_t fraction_width = 0;
    for (const std::size_t i : printed) {
      all_finite = all_finite && std::isfinite(values[i]);
      negative_infinity = negative_infinity || (std::isinf(values[i]) && values[i] < 0);
      if (!std::isfinite(values[i])) continue;
      const Parts parts = parts_of(values[i]);
      whole_ = std::max(whole_, parts.whole.size());
      fraction_width = std::max(fraction_width, parts.fraction.size());
      exponent_ = std::max(exponent_, parts.exponent.size());
    }
    fraction_ = fraction_width;  // parts_of reads it, so it is set after all widths are known
    const std::size_t after = right() + 1;
    if (!all_finite)
      whole_ = std::max(whole_, (negative_infinity ? 4U : 3U) - std::min(after, std::size_t{3}));
  }

  std::string operator()(std::size_t element) const {
    const T value = values_[element];
    if (!std::isfinite(value)) {
      const std::string_view word = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
      return fmt::format("{:>{}}", word, whole_ + right() + 1);
    }
    const Parts parts = parts_of(value);
    if (!has_exponents_) return fmt::format("{:>{}}.{:<{}}", parts.whole, whole_, parts.fraction, fraction_);
    const std::string digits = parts.exponent.substr(1);
    return fmt::format("{:>{}}.{:0<{}}e{}{:0>{}}", parts.whole, whole_, parts.fraction, fraction_,
                       parts.exponent[0], digits, exponent_ - 1);
  }

 private:
  std::size_t right() const { return fraction_ + (has_exponents_ ? exponent_ + 1 : 0); }

  // Like numpy, this compares in double precision and divides in the precision of the array.
  void choose_exponents(const Elements& printed) {
    T least = std::numeric_limits<T>::infinity();
    T largest = 0;
    for (const std::size_t i : printed) {
      const T magnitude = std::abs(values_[i]);
      if (!std::isfinite(magnitude) || magnitude == 0) continue;
      least = std::min(least, magnitude);
      largest = std::max(largest, magnitude);
    }
    if (largest == 0) return;
    has_exponents_ = static_cast<double>(largest) >= 1e8 || static_cast<double>(least) < 0.0001 ||
                     static_cast<double>(largest / least) > 1000;
  }

  Parts parts_of(T value) const {
    if (has_exponents_) return scientific(decimal_between(value, static_cast<int>(fraction_), precision));
    const int whole_digits = shortest(value).exponent;
    return positional(decimal_between(value, whole_digits, whole_digits + precision));
  }

  std::span<const T> values_;
  bool has_exponents_ = false;
  std::size_t whole_ = 0;
  std::size_t fraction_ = 0;
  std::size_t exponent_ = 0;
};

template <class T>
Format integer_column(std::span<const T> values, const Elements& printed) {
  std::size_t width = 0;
  for (const std::size_t i : printed) width = std::max(width, fmt::formatted_size("{}", values[i]));
  return [values, width](std::size_t i) { return fmt::format("{:>{}}", values[i], width); };
}

Format column(const Tensor& tensor, const Elements& printed) {
  switch (tensor.type()) {
    case Type::float16:
    case Type::bfloat16:
      break;  // print_numpy has made them float64
    case Type::float32:
      return FloatColumn<float>(tensor.values<float>(), printed);
    case Type::float64:
      return FloatColumn<double>(tensor.values<double>(), printed);
    case Type::int32:
      return integer_column<std::int32_t>(tensor.values<std::int32_t>(), printed);
    case Type::int64:
      return integer_column<std::int64_t>(tensor.values<std::int64_t>(), printed);
    case Type::uint8:
      return integer_column<std::uint8_t>(tensor.values<std::uint8_t>(), printed);
    case Type::boolean:
      return [values = tensor.values<bool>()](std::size_t i) { return values[i] ? " True" : "False"; };
  }
  return {};
}

// ---- Brackets, line breaks, and the abbreviation of large arrays.

class Brackets {
 public:
  Brackets(const Shape& shape, const Format& format, std::string_view comma = "")
      : shape_(shape), format_(format), comma_(comma), summarised_(shape.elements() > threshold) {}

  std::string text(int axis, std::size_t first, const std::string& indent, std::size_t width) const {
    const std::string inner =
        axis + 1 == shape_.rank() ? line(first, indent, width) : blocks(axis, first, indent, width);
    return "[" + inner.substr(indent.size()) + "]";
  }

  // Appends the indices of all elements that are printed, in their order.
  void collect(int axis, std::size_t first, Elements& into) const {
    if (axis == shape_.rank()) return into.push_back(first);
    for (const auto& index : indices(axis))
      if (index) collect(axis + 1, first * extent(axis) + *index, into);
  }

 private:
  std::size_t extent(int axis) const { return static_cast<std::size_t>(shape_[axis]); }

  // The printed indices of an axis. nullopt stands for the dots of an abbreviation.
  std::vector<std::optional<std::size_t>> indices(int axis) const {
    const bool cut = summarised_ && shape_[axis] > 2 * edge_items;
    std::vector<std::optional<std::size_t>> list;
    for (std::size_t i = 0; i < extent(axis); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const bool inside = cut && at >= edge_items && at < shape_[axis] - edge_items;
      if (!inside) list.emplace_back(i);
      if (inside && at == edge_items) list.emplace_back(std::nullopt);
    }
    return list;
  }

  std::string blocks(int axis, std::size_t first, const std::string& indent, std::size_t width) const {
    const std::string separator =
        std::string(comma_) + std::string(static_cast<std::size_t>(shape_.rank() - axis - 1), '\n');
    std::string text;
    for (const auto& index : indices(axis)) {
      if (!text.empty()) text += separator;
      text += indent;
      text += index ? this->text(axis + 1, first * extent(axis) + *index, indent + " ", width - 1) : "...";
    }
    return text;
  }

  std::string line(std::size_t first, const std::string& indent, std::size_t width) const {
    const int axis = shape_.rank() - 1;
    std::string text;
    std::string current = indent;
    for (const auto& index : indices(axis)) {
      const std::string word = index ? format_(first * extent(axis) + *index) : "...";
      if (current.size() > indent.size() && current.size() + word.size() > width - 1) {
        text += current.substr(0, current.find_last_not_of(' ') + 1) + "\n";
        current = indent;
      }
      current += word;
      current += comma_;
      current += ' ';
    }
    current.resize(current.size() - comma_.size() - 1);
    return text + current;
  }

  const Shape& shape_;
  const Format& format_;
  std::string_view comma_;
  bool summarised_;
};

// ---- Scalars.

template <class T>
std::string print_float(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double magnitude = std::abs(static_cast<double>(value));
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    const Parts parts = positional(shortest(value));
    return parts.whole + "." + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  const Parts parts = scientific(shortest(value));
  return parts.whole + (parts.fraction.empty() ? "" : "." + parts.fraction) + "e" + parts.exponent;
}

// The fewest digits that give a number of 16 bits back, as numpy prints float16.
template <class Half>
double readable(Half half) {
  const float exact_value = widened(half);
  for (int digits = 1; std::isfinite(exact_value); ++digits) {
    const float number = std::strtof(fmt::format("{:.{}g}", exact_value, digits).c_str(), nullptr);
    if (rounded<Half>(number).bits == half.bits)
      return std::strtod(fmt::format("{:.{}g}", exact_value, digits).c_str(), nullptr);
  }
  return static_cast<double>(exact_value);
}

template <class Half>
Tensor readable(const Tensor& halves) {
  const auto numbers = halves.values<Half>();
  std::vector<double> values;
  for (const Half half : numbers) values.push_back(readable(half));
  return Tensor::of<double>(halves.shape(), values);
}

std::string print_scalar(const Tensor& tensor) {
  if (tensor.type() == Type::float32) return print_float(tensor.values<float>()[0]);
  if (tensor.type() == Type::float64) return print_float(tensor.values<double>()[0]);
  if (tensor.type() == Type::boolean) return tensor.values<bool>()[0] ? "True" : "False";
  return column(tensor, {0})(0);
}

}  // namespace

std::string print_numpy(const Tensor& tensor) {
  if (tensor.type() == Type::float16) return print_numpy(readable<Float16>(tensor));
  if (tensor.type() == Type::bfloat16) return print_numpy(readable<BFloat16>(tensor));
  const Shape& shape = tensor.shape();
  if (shape.elements() == 0) return "[]";
  if (shape.rank() == 0) return print_scalar(tensor);
  Elements printed;
  const Format none;
  Brackets(shape, none).collect(0, 0, printed);
  const Format format = column(tensor, printed);
  return Brackets(shape, format).text(0, 0, " ", line_width);
}

std::string repr_numpy(const Tensor& tensor) {
  if (tensor.type() == Type::float16 || tensor.type() == Type::bfloat16 || tensor.shape().rank() == 0)
    return print_numpy(tensor);
  const Shape& shape = tensor.shape();
  Elements printed;
  const Format none;
  if (shape.elements() > 0) Brackets(shape, none).collect(0, 0, printed);
  const Format format = column(tensor, printed);
  constexpr std::string_view opening = "array(";
  const std::string indent(opening.size() + 1, ' ');
  std::string text(opening);
  text += shape.elements() == 0 ? "[]" : Brackets(shape, format, ",").text(0, 0, indent, line_width - 1);
  const bool is_default =
      tensor.type() == Type::float64 || tensor.type() == Type::int64 || tensor.type() == Type::boolean;
  if (is_default && shape.elements() > 0) return text + ")";
  const std::string type = fmt::format("dtype={})", name(tensor.type()));
  const std::size_t last_line = text.size() + 1 - (text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
  const bool fits = last_line + type.size() + 1 <= line_width;
  return text + "," + (fits ? " " : "\n" + std::string(opening.size(), ' ')) + type;
}

std::string print_tuple(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.rank() == 1 ? "," : "");
}

}  // namespace wt
