#include "kernel/attributes.h"

#include <fmt/format.h>

#include <string_view>

namespace wt {

namespace {

std::string print_value(bool value) { return value ? "true" : "false"; }
std::string print_value(int value) { return fmt::format("{}", value); }
std::string print_value(std::int64_t value) { return fmt::format("{}", value); }
std::string print_value(double value) { return fmt::format("{}", value); }
std::string print_value(const Shape& value) { return print(value); }
std::string print_value(const TensorSpec& value) { return print(value); }
std::string print_value(Type value) { return std::string(name(value)); }
std::string print_value(Padding value) { return value == Padding::same ? "same" : "valid"; }

std::string print_value(CellActivation value) { return std::string(name(value)); }
std::string print_value(const std::array<std::int64_t, 2>& value) {
  return fmt::format("[{},{}]", value[0], value[1]);
}
std::string print_value(ResizeMethod value) { return std::string(name(value)); }

// Writes "key=value" for members of an attribute struct. `add` leaves out a member that has its default, and
// `always` writes it in any case.
template <class Kind>
class Words {
 public:
  explicit Words(const Kind& attributes) : attributes_(attributes) {}

  template <class Value>
  Words& add(std::string_view key, Value Kind::*member) {
    if (!(attributes_.*member == fresh_.*member)) always(key, member);
    return *this;
  }
  template <class Value>
  Words& always(std::string_view key, Value Kind::*member) {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : " ", key, print_value(attributes_.*member));
    return *this;
  }
  std::string text() const { return text_; }

 private:
  const Kind& attributes_;
  Kind fresh_{};
  std::string text_{};
};

std::string print_words(const NoAttributes&) { return {}; }

std::string print_words(const ProductAttributes& attributes) {
  return Words(attributes)
      .add("transpose_a", &ProductAttributes::transpose_a)
      .add("transpose_b", &ProductAttributes::transpose_b)
      .text();
}

std::string print_words(const WindowAttributes& attributes) {
  return Words(attributes)
      .add("size", &WindowAttributes::size)
      .add("strides", &WindowAttributes::strides)
      .add("dilation", &WindowAttributes::dilation)
      .add("padding", &WindowAttributes::padding)
      .add("groups", &WindowAttributes::groups)
      .add("input", &WindowAttributes::input)
      .text();
}

std::string print_words(const AxesAttributes& attributes) {
  return Words(attributes)
      .always("axes", &AxesAttributes::axes)
      .add("keep_dims", &AxesAttributes::keep_dims)
      .text();
}

std::string print_words(const PartsAttributes& attributes) {
  return Words(attributes)
      .always("axis", &PartsAttributes::axis)
      .always("sizes", &PartsAttributes::sizes)
      .text();
}

std::string print_words(const ShapeAttributes& attributes) {
  return Words(attributes).always("shape", &ShapeAttributes::shape).text();
}

std::string print_words(const NormalizationAttributes& attributes) {
  return Words(attributes)
      .add("epsilon", &NormalizationAttributes::epsilon)
      .add("momentum", &NormalizationAttributes::momentum)
      .add("corrects_variance", &NormalizationAttributes::corrects_variance)
      .text();
}

std::string print_words(const DropoutAttributes& attributes) {
  return Words(attributes).always("rate", &DropoutAttributes::rate).text();
}

std::string print_words(const CastAttributes& attributes) {
  return Words(attributes).always("type", &CastAttributes::type).text();
}

std::string print_words(const FillAttributes& attributes) {
  return Words(attributes)
      .always("spec", &FillAttributes::spec)
      .always("value", &FillAttributes::value)
      .text();
}

std::string print_words(const SgdAttributes& attributes) {
  return Words(attributes)
      .add("momentum", &SgdAttributes::momentum)
      .add("nesterov", &SgdAttributes::nesterov)
      .add("weight_decay", &SgdAttributes::weight_decay)
      .text();
}

std::string print_words(const AdamAttributes& attributes) {
  return Words(attributes)
      .add("beta_1", &AdamAttributes::beta_1)
      .add("beta_2", &AdamAttributes::beta_2)
      .add("epsilon", &AdamAttributes::epsilon)
      .add("weight_decay", &AdamAttributes::weight_decay)
      .add("given_squares", &AdamAttributes::given_squares)
      .text();
}

std::string print_words(const RmsPropAttributes& attributes) {
  return Words(attributes)
      .add("rho", &RmsPropAttributes::rho)
      .add("momentum", &RmsPropAttributes::momentum)
      .add("epsilon", &RmsPropAttributes::epsilon)
      .add("centered", &RmsPropAttributes::centered)
      .add("given_squares", &RmsPropAttributes::given_squares)
      .text();
}

std::string print_words(const RecurrentAttributes& attributes) {
  return Words(attributes)
      .add("activation", &RecurrentAttributes::activation)
      .add("recurrent_activation", &RecurrentAttributes::recurrent_activation)
      .add("go_backwards", &RecurrentAttributes::go_backwards)
      .add("reset_after", &RecurrentAttributes::reset_after)
      .add("is_masked", &RecurrentAttributes::is_masked)
      .add("state_dropout", &RecurrentAttributes::state_dropout)
      .text();
}

std::string print_words(const HashAttributes& attributes) {
  return Words(attributes)
      .always("buckets", &HashAttributes::buckets)
      .add("is_salted", &HashAttributes::is_salted)
      .add("salt", &HashAttributes::salt)
      .text();
}

std::string print_words(const ResizeAttributes& attributes) {
  return Words(attributes)
      .always("method", &ResizeAttributes::method)
      .always("given", &ResizeAttributes::given)
      .always("rows", &ResizeAttributes::rows)
      .add("antialias", &ResizeAttributes::antialias)
      .text();
}

}  // namespace

std::string_view name(ResizeMethod method) {
  constexpr std::string_view names[] = {"nearest",  "bilinear", "area",     "bicubic",
                                        "gaussian", "lanczos3", "lanczos5", "mitchellcubic"};
  return names[static_cast<std::size_t>(method)];
}

std::string_view name(CellActivation activation) {
  constexpr std::string_view names[] = {
      "linear",   "tanh",     "sigmoid", "relu",       "hard_sigmoid", "hard_sigmoid_keras2",
      "softsign", "softplus", "elu",     "exponential"};
  return names[static_cast<std::size_t>(activation)];
}

std::string print(const Attributes& attributes) {
  return std::visit([](const auto& kind) { return print_words(kind); }, attributes);
}

}  // namespace wt
