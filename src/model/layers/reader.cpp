#include "model/layers/reader.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "model/activation.h"
#include "model/regularizer.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

// Larger than the extents of any real layer. A larger number is a mistake, and these limits keep products of
// extents within 64 bits.
constexpr std::int64_t largest_extent = 1 << 24;
constexpr std::int64_t largest_in_pair = 1 << 12;
constexpr std::int64_t most_table_rows = (1LL << 31) - 1;  // int32 ids reach all of them

constexpr json::Named<Padding> paddings[] = {{"valid", Padding::valid}, {"same", Padding::same}};

}  // namespace

const json::Value* LayerReader::given(std::string_view key) {
  const json::Value* found = value(key);
  return found == nullptr || found->kind() == json::Kind::null ? nullptr : found;
}

std::string LayerReader::name() {
  const json::Value* found = given("name");
  const std::string name = found == nullptr ? "" : json::convert<std::string>(*found, problems_).value_or("");
  if (name != printable(name))
    problem("name", "the name has control characters", "write one line of plain text");
  return name;
}

bool LayerReader::flag(std::string_view key, bool otherwise) {
  const json::Value* found = given(key);
  return found == nullptr ? otherwise : json::convert<bool>(*found, problems_).value_or(otherwise);
}

double LayerReader::number(std::string_view key, double otherwise, const json::Range<double>& range) {
  const json::Value* found = given(key);
  return found == nullptr ? otherwise : json::convert<double>(*found, problems_, range).value_or(otherwise);
}

std::int64_t LayerReader::extent(std::string_view key) {
  return required<std::int64_t>(key, {.at_least = 1, .at_most = largest_extent});
}

std::int64_t LayerReader::table_rows(std::string_view key) {
  return required<std::int64_t>(key, {.at_least = 1, .at_most = most_table_rows});
}

std::optional<std::int64_t> LayerReader::maybe_extent(std::string_view key) {
  const json::Value* found = given(key);
  if (found == nullptr) return std::nullopt;
  return json::convert<std::int64_t>(*found, problems_, {.at_least = 1, .at_most = largest_extent});
}

std::optional<std::int64_t> LayerReader::seed() {
  const json::Value* found = given("seed");
  // Keras 3 may write a seed generator, an object. Its random numbers cannot be reproduced here, so the seed
  // is treated as unset.
  if (found == nullptr || found->kind() == json::Kind::object) return std::nullopt;
  return json::convert<std::int64_t>(*found, problems_);
}

int LayerReader::axis(int otherwise) {
  const json::Value* found = given("axis");
  if (found == nullptr) return otherwise;
  return json::convert<int>(*found, problems_, {.at_least = -Shape::max_rank, .at_most = Shape::max_rank})
      .value_or(otherwise);
}

int LayerReader::last_axis(int otherwise) {
  const json::Value* found = given("axis");
  if (found == nullptr || found->kind() != json::Kind::array) return axis(otherwise);
  const auto read = json::convert<std::vector<int>>(*found, problems_);
  if (read && read->size() != 1)
    problem("axis", fmt::format("there are {} axes", read->size()), "only the last axis is offered");
  return read && read->size() == 1 ? read->front() : otherwise;
}

std::optional<Shape> LayerReader::pair(std::string_view key, std::int64_t at_least) {
  const json::Value* found = given(key);
  if (found == nullptr) return std::nullopt;
  const json::Range<std::int64_t> range{.at_least = at_least, .at_most = largest_in_pair};
  if (found->kind() != json::Kind::array) {
    const auto both = json::convert<std::int64_t>(*found, problems_, range);
    return both ? std::optional<Shape>({*both, *both}) : std::nullopt;
  }
  const auto two = json::convert<std::vector<std::int64_t>>(*found, problems_, range);
  if (two && two->size() == 2) return Shape{two->at(0), two->at(1)};
  if (two)
    problem(key, fmt::format("there are {} numbers", two->size()),
            "write two numbers, for height and width, or one for both");
  return std::nullopt;
}

std::vector<std::int64_t> LayerReader::extents(std::string_view key) {
  return required<std::vector<std::int64_t>>(key, {.at_least = -1, .at_most = largest_extent});
}

Padding LayerReader::padding() { return one_of("padding", paddings, Padding::valid); }

std::string LayerReader::activation(std::string_view key) {
  const json::Value* found = given(key);
  if (found == nullptr) return "linear";
  std::string name;
  Place place = found->place();
  if (found->kind() == json::Kind::object) {
    // Keras 3 may write {"class_name": "function", "config": "relu", ...}. Other objects are Python code or
    // layers.
    const json::Value* kind = found->find("class_name");
    const json::Value* function = found->find("config");
    const bool is_function = kind != nullptr && kind->kind() == json::Kind::string &&
                             kind->string() == "function" && function != nullptr &&
                             function->kind() == json::Kind::string;
    if (!is_function) {
      problem(key, fmt::format("\"{}\" is an object that does not name a function", key),
              "write the name of an activation");
      return "linear";
    }
    name = function->string();
    place = function->place();
  } else {
    name = json::convert<std::string>(*found, problems_).value_or("linear");
  }
  if (find_activation(name) != nullptr) return name;
  std::vector<std::string_view> known;
  for (const Activation& row : activations()) known.push_back(row.name);
  problems_.add(place, fmt::format("unknown activation \"{}\"", printable(name)), did_you_mean(name, known));
  return "linear";
}

Initializer LayerReader::initializer(std::string_view key, const Initializer& otherwise) {
  const json::Value* found = given(key);
  return found == nullptr ? otherwise : initializer_from_json(*found, problems_, passed_);
}

std::optional<Regularizer> LayerReader::regularizer(std::string_view key) {
  const json::Value* found = given(key);
  return found == nullptr ? std::nullopt : regularizer_from_json(*found, problems_, passed_);
}

}  // namespace wt::model
