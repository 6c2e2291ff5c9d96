#include "model/initializer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/random.h"
#include "base/utf8.h"
#include "model/orthonormal.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

// The hash FNV-1a of Fowler, Noll and Vo (64 bits). Unlike std::hash, it is the same on every machine.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char letter : text) value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return value;
}

PhiloxStream stream_for(const Initializer& initializer, std::string_view weight, std::uint64_t run_seed) {
  if (initializer.seed) return stream_of({*initializer.seed, 0});
  return stream_of({static_cast<std::int64_t>(run_seed), static_cast<std::int64_t>(hash(weight))});
}

// Numbers of inputs and outputs per unit, as Keras counts them: the axes before the last two are a receptive
// field.
struct Fans {
  double in = 1;
  double out = 1;
};

Fans fans_of(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {1, 1};
  if (rank == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  const auto field = static_cast<double>(shape.elements(0, rank - 2));
  return {static_cast<double>(shape[rank - 2]) * field, static_cast<double>(shape[rank - 1]) * field};
}

double scale_of(const VarianceScaling& rule, const Shape& shape) {
  const Fans fans = fans_of(shape);
  double fan = (fans.in + fans.out) / 2;
  if (rule.fan == VarianceScaling::Fan::in) fan = fans.in;
  if (rule.fan == VarianceScaling::Fan::out) fan = fans.out;
  return rule.scale / std::max(1.0, fan);
}

// Standard deviation of a standard normal variable that is truncated at -2 and 2. Keras has the same
// constant.
constexpr double truncated_deviation = 0.87962566103423978;

using Floats = std::vector<float>;

std::string shape_as_in_python(const Shape& shape) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  return fmt::format("shape=({}{}) of rank {}.", extents, shape.rank() == 1 ? "," : "", shape.rank());
}

void fill_rule(Floats& values, const Uniform& rule, const Shape&, const PhiloxStream& stream) {
  fill_uniform(values, stream, static_cast<float>(rule.low), static_cast<float>(rule.high));
}

void fill_rule(Floats& values, const Normal& rule, const Shape&, const PhiloxStream& stream) {
  const auto fill = rule.truncated ? fill_truncated_normal : fill_normal;
  fill(values, stream, static_cast<float>(rule.mean), static_cast<float>(rule.deviation));
}

void fill_rule(Floats& values, const VarianceScaling& rule, const Shape& shape, const PhiloxStream& stream) {
  const double scale = scale_of(rule, shape);
  switch (rule.distribution) {
    case VarianceScaling::Distribution::uniform:
      return fill_rule(values, Uniform{-std::sqrt(3 * scale), std::sqrt(3 * scale)}, shape, stream);
    case VarianceScaling::Distribution::truncated_normal:
      return fill_rule(values, Normal{0, std::sqrt(scale) / truncated_deviation, true}, shape, stream);
    case VarianceScaling::Distribution::untruncated_normal:
      return fill_rule(values, Normal{0, std::sqrt(scale), false}, shape, stream);
  }
}

void fill_rule(Floats& values, const Orthogonal& rule, const Shape& shape, const PhiloxStream& stream) {
  if (shape.rank() < 2)
    throw InputError(fmt::format("The tensor to initialize must be at least two-dimensional. Received: {}",
                                 shape_as_in_python(shape)),
                     "use another initializer");
  const auto columns = static_cast<std::size_t>(shape.last()), rows = values.size() / columns;
  const bool is_wide = rows < columns;
  fill_normal(values, stream, 0, 1);  // a matrix with at least as many rows as columns
  const Floats q =
      is_wide ? orthonormal_columns(values, columns, rows) : orthonormal_columns(values, rows, columns);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      values[row * columns + column] =
          static_cast<float>(rule.gain) * (is_wide ? q[column * rows + row] : q[row * columns + column]);
}

void fill_rule(Floats& values, const Identity& rule, const Shape& shape, const PhiloxStream&) {
  if (shape.rank() != 2)
    throw InputError(fmt::format("Identity matrix initializer can only be used for 2D matrices. Received: {}",
                                 shape_as_in_python(shape)),
                     "use another initializer");
  std::ranges::fill(values, 0.0F);
  for (std::int64_t i = 0; i < std::min(shape[0], shape[1]); ++i)
    values[static_cast<std::size_t>(i * shape[1] + i)] = static_cast<float>(rule.gain);
}

void fill_rule(Floats& values, const UnitForgetBias&, const Shape&, const PhiloxStream&) {
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  std::ranges::fill(values, 0.0F);
  std::fill_n(values.begin() + quarter, quarter, 1.0F);
}

template <class T>
Tensor tensor_of(const Shape& shape, const Floats& values) {
  return Tensor::of<T>(shape, std::vector<T>(values.begin(), values.end()));
}

template <class T>
Tensor constant_of(const TensorSpec& spec, double value) {
  Tensor tensor = Tensor::zeros(spec);
  std::ranges::fill(tensor.values<T>(), static_cast<T>(value));
  return tensor;
}

Tensor constant(const TensorSpec& spec, double value) {
  switch (spec.type) {
    case Type::float32:
      return constant_of<float>(spec, value);
    case Type::float64:
      return constant_of<double>(spec, value);
    case Type::int32:
      return constant_of<std::int32_t>(spec, value);
    case Type::int64:
      return constant_of<std::int64_t>(spec, value);
    case Type::boolean:
      return constant_of<bool>(spec, value);
    case Type::uint8:
      return constant_of<std::uint8_t>(spec, value);
    case Type::float16:
    case Type::bfloat16:
      break;
  }
  WT_EXPECT(false, "a variable is {}: mixed precision keeps variables in float32", print(spec));
  return {};
}

// The stream's number is the initializer's seed. Without one it is 63 bits of the mixed seeds, so that it is
// never negative.
Tensor stream_start(const Initializer& initializer, const TensorSpec& spec, const PhiloxStream& stream) {
  const std::uint64_t mixed = (std::uint64_t{stream.key[0]} << 32 | stream.key[1]) >> 1;
  return Tensor::of<std::int64_t>(spec.shape,
                                  {initializer.seed.value_or(static_cast<std::int64_t>(mixed)), 0});
}

}  // namespace

Tensor initial_value(const Initializer& initializer, const TensorSpec& spec, std::string_view weight,
                     std::uint64_t run_seed) {
  const PhiloxStream stream = stream_for(initializer, weight, run_seed);
  const auto drawn = [&](const auto& rule) {
    WT_EXPECT(is_floating(spec.type), "weight {} has a random initializer and is {}", weight, print(spec));
    Floats values(static_cast<std::size_t>(spec.elements()));
    fill_rule(values, rule, spec.shape, stream);
    return spec.type == Type::float64 ? tensor_of<double>(spec.shape, values)
                                      : tensor_of<float>(spec.shape, values);
  };
  return std::visit(overloaded{
                        [&](const Constant& rule) { return constant(spec, rule.value); },
                        [&](const StreamStart&) { return stream_start(initializer, spec, stream); },
                        [&](const CopyOfVariable&) {
                          WT_EXPECT(false, "weight {} is a copy of a variable that is not known here",
                                    weight);
                          return Tensor{};
                        },
                        [&](const auto& rule) { return drawn(rule); },
                    },
                    initializer.rule);
}

namespace {

using Fan = VarianceScaling::Fan;
using Distribution = VarianceScaling::Distribution;

const InitializerName initializer_rows[] = {
    {"zeros", "Zeros", "0", zeros},
    {"ones", "Ones", "1", ones},
    {"constant", "Constant", "value", {Constant{0}, {}}},
    {"random_uniform", "RandomUniform", "uniform between minval and maxval", {Uniform{}, {}}},
    {"random_normal", "RandomNormal", "normal with mean and stddev", {Normal{}, {}}},
    {"truncated_normal",
     "TruncatedNormal",
     "normal with mean and stddev, drawn again beyond two standard deviations",
     {Normal{0, 0.05, true}, {}}},
    {"glorot_uniform", "GlorotUniform", "uniform within +-sqrt(6 / (in + out))", glorot_uniform},
    {"glorot_normal",
     "GlorotNormal",
     "truncated normal of variance 2 / (in + out)",
     {VarianceScaling{1, Fan::average, Distribution::truncated_normal}, {}}},
    {"he_uniform",
     "HeUniform",
     "uniform within +-sqrt(6 / in)",
     {VarianceScaling{2, Fan::in, Distribution::uniform}, {}}},
    {"he_normal",
     "HeNormal",
     "truncated normal of variance 2 / in",
     {VarianceScaling{2, Fan::in, Distribution::truncated_normal}, {}}},
    {"lecun_uniform",
     "LecunUniform",
     "uniform within +-sqrt(3 / in)",
     {VarianceScaling{1, Fan::in, Distribution::uniform}, {}}},
    {"lecun_normal",
     "LecunNormal",
     "truncated normal of variance 1 / in",
     {VarianceScaling{1, Fan::in, Distribution::truncated_normal}, {}}},
    {"variance_scaling",
     "VarianceScaling",
     "variance scale / fan, with scale, mode and distribution as arguments",
     {VarianceScaling{1, Fan::in, Distribution::truncated_normal}, {}}},
    {"identity", "Identity", "the identity matrix, times gain", {Identity{}, {}}},
    {"orthogonal", "Orthogonal", "an orthonormal matrix, times gain", orthogonal},
    {"zero", "Zeros", "Keras 1's name of zeros", zeros},
    {"one", "Ones", "Keras 1's name of ones", ones},
    {"uniform", "RandomUniform", "Keras 1's name of random_uniform", {Uniform{}, {}}},
    {"normal", "RandomNormal", "Keras 1's name of random_normal", {Normal{}, {}}},
};

constexpr json::Named<Fan> modes[] = {{"fan_in", Fan::in}, {"fan_out", Fan::out}, {"fan_avg", Fan::average}};
constexpr json::Named<Distribution> distributions[] = {
    {"uniform", Distribution::uniform},
    {"truncated_normal", Distribution::truncated_normal},
    {"untruncated_normal", Distribution::untruncated_normal},
    {"normal", Distribution::truncated_normal},  // the name in Keras before 2.1
};

void read_rule(Constant& rule, std::string_view, json::Reader& config) {
  rule.value = config.optional<double>("value", rule.value);
}
void read_rule(Uniform& rule, std::string_view, json::Reader& config) {
  rule.low = config.optional<double>("minval", rule.low);
  rule.high = config.optional<double>("maxval", rule.high);
}
void read_rule(Normal& rule, std::string_view, json::Reader& config) {
  rule.mean = config.optional<double>("mean", rule.mean);
  rule.deviation = config.optional<double>("stddev", rule.deviation, {.at_least = 0.0});
}
void read_rule(VarianceScaling& rule, std::string_view class_name, json::Reader& config) {
  const bool is_general = class_name == "VarianceScaling";
  // A file may also state these arguments for a class such as GlorotUniform, which fixes their values. They
  // have an effect on VarianceScaling alone.
  VarianceScaling read = rule;
  read.scale = config.optional<double>("scale", rule.scale, {.above = 0.0});
  read.fan = config.one_of("mode", modes, rule.fan);
  read.distribution = config.one_of("distribution", distributions, rule.distribution);
  if (is_general) rule = read;
  // Keras 3.15: which axes count as inputs and outputs; null stands for those that a layer's kernel has.
  for (const char* key : {"input_axes", "output_axes"})
    if (const json::Value* axes = config.value(key); axes != nullptr && axes->kind() != json::Kind::null)
      config.problem(key, fmt::format("\"{}\" of an initializer is not offered yet", key), "leave it out");
}
void read_rule(Orthogonal& rule, std::string_view, json::Reader& config) {
  rule.gain = config.optional<double>("gain", rule.gain);
}
void read_rule(Identity& rule, std::string_view, json::Reader& config) {
  rule.gain = config.optional<double>("gain", rule.gain);
}
void read_rule(UnitForgetBias&, std::string_view, json::Reader&) {}
void read_rule(StreamStart&, std::string_view, json::Reader&) {}
void read_rule(CopyOfVariable&, std::string_view, json::Reader&) {}

// Keras 3 may write a seed generator, an object, in place of a number. Its random numbers cannot be
// reproduced here, so the seed is treated as unset.
std::optional<std::int64_t> read_seed(json::Reader& config, Problems& problems) {
  const json::Value* seed = config.value("seed");
  if (seed == nullptr || seed->kind() == json::Kind::null || seed->kind() == json::Kind::object) return {};
  return json::convert<std::int64_t>(*seed, problems);
}

const InitializerName* find_initializer(const Serialized& named, Problems& problems) {
  std::vector<std::string_view> known;
  for (const InitializerName& row : initializer_rows) {
    if (row.name == named.name || row.class_name == named.name) return &row;
    known.push_back(row.name);
  }
  problems.add(named.place, fmt::format("unknown initializer \"{}\"", printable(named.name)),
               did_you_mean(named.name, known));
  return nullptr;
}

}  // namespace

std::span<const InitializerName> initializers() { return initializer_rows; }

Initializer initializer_from_json(const json::Value& value, Problems& problems, json::PassedOver* passed) {
  const std::optional<Serialized> named = read_serialized(value, problems, passed);
  if (!named) return zeros;
  const InitializerName* row = find_initializer(*named, problems);
  if (row == nullptr) return zeros;
  Initializer initializer = row->value;
  if (named->config == nullptr) return initializer;
  json::Reader config(*named->config, problems);
  initializer.seed = read_seed(config, problems);
  config.value("dtype");
  std::visit([&](auto& rule) { read_rule(rule, row->class_name, config); }, initializer.rule);
  passed == nullptr ? config.finish() : config.finish(*passed);
  return initializer;
}

}  // namespace wt::model
