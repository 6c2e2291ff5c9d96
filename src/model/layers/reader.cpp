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

// All numbers of nested lists, in their order.
void collect_numbers(const json::Value& value, Problems& problems, std::vector<double>& numbers) {
  if (value.kind() == json::Kind::array) {
    for (const json::Value& element : value.elements()) collect_numbers(element, problems, numbers);
  } else if (const auto number = json::convert<double>(value, problems, {})) {
    numbers.push_back(*number);
  }
}

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
  const std::vector<int> all = axes("axis", {otherwise});
  if (all.size() != 1)
    problem("axis", fmt::format("there are {} axes", all.size()), "only one axis is offered");
  return all.size() == 1 ? all.front() : otherwise;
}

std::vector<int> LayerReader::axes(std::string_view key, std::vector<int> otherwise) {
  const json::Value* found = given(key);
  if (found == nullptr) return otherwise;
  const json::Range<int> range{.at_least = -Shape::max_rank, .at_most = Shape::max_rank};
  if (found->kind() == json::Kind::array)
    return json::convert<std::vector<int>>(*found, problems_, range).value_or(otherwise);
  const std::optional<int> one = json::convert<int>(*found, problems_, range);
  return one ? std::vector<int>{*one} : otherwise;
}

std::vector<double> LayerReader::numbers(std::string_view key, std::vector<double> otherwise) {
  const json::Value* found = given(key);
  if (found == nullptr) return otherwise;
  std::vector<double> all;
  collect_numbers(*found, problems_, all);
  return all.empty() ? otherwise : all;
}

Shape LayerReader::sizes(std::string_view key, int rank, std::int64_t at_least) {
  const json::Value* found = given(key);
  Shape sizes;
  if (found == nullptr) return sizes;
  const json::Range<std::int64_t> range{.at_least = at_least, .at_most = largest_in_pair};
  if (found->kind() != json::Kind::array) {
    const auto one = json::convert<std::int64_t>(*found, problems_, range);
    for (int i = 0; one && i < rank; ++i) sizes.append(*one);
    return sizes;
  }
  const auto all = json::convert<std::vector<std::int64_t>>(*found, problems_, range);
  if (all && static_cast<int>(all->size()) != rank) {
    problem(key, fmt::format("there are {} numbers", all->size()),
            rank == 1   ? "write one number"
            : rank == 2 ? "write two numbers, for height and width, or one for both"
                        : fmt::format("write {} numbers, one for each spatial axis, or one for all", rank));
    return sizes;
  }
  return all ? Shape(std::span<const std::int64_t>(*all)) : sizes;
}

std::vector<Shape> LayerReader::sides(std::string_view key, int rank) {
  const json::Value* found = given(key);
  std::vector<Shape> sides(static_cast<std::size_t>(rank), Shape{1, 1});
  if (found == nullptr) return sides;
  const json::Range<std::int64_t> range{.at_least = 0, .at_most = largest_in_pair};
  const bool is_list = found->kind() == json::Kind::array;
  // A sequence has one spatial axis, so that [1, 2] are its two sides.
  const bool is_one_axis = rank == 1 && is_list && found->elements().size() == 2;
  if (is_list && !is_one_axis && static_cast<int>(found->elements().size()) != rank) {
    problem(key, fmt::format("there are {} numbers", found->elements().size()),
            fmt::format("write one number, or one or two for each of {} spatial axes", rank));
    return sides;
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const json::Value& own = is_list && !is_one_axis ? found->elements()[i] : *found;
    if (own.kind() == json::Kind::array) {
      const auto two = json::convert<std::vector<std::int64_t>>(own, problems_, range);
      if (two && two->size() == 2)
        sides[i] = {two->at(0), two->at(1)};
      else if (two)
        problem(key, fmt::format("there are {} numbers for an axis", two->size()),
                "write two: before and after");
    } else if (const auto both = json::convert<std::int64_t>(own, problems_, range)) {
      sides[i] = {*both, *both};
    }
  }
  return sides;
}

std::optional<std::string> LayerReader::dtype() {
  const json::Value* found = given("dtype");
  if (found == nullptr) return std::nullopt;
  const json::Value* name = found;
  if (found->kind() == json::Kind::object) {
    const json::Value* inner = found->find("config");
    name = inner != nullptr && inner->kind() == json::Kind::object ? inner->find("name") : nullptr;
  }
  if (name != nullptr && name->kind() == json::Kind::string) return name->string();
  problem("dtype", "\"dtype\" does not name a type", "write \"float32\"");
  return std::nullopt;
}

std::optional<Type> LayerReader::integer_dtype() {
  const std::optional<std::string> name = dtype();
  if (!name || name->find("int") == std::string::npos) return std::nullopt;
  const std::optional<Type> type = type_named(*name);
  if (type == Type::int32 || type == Type::int64) return type;
  problem("dtype", fmt::format("\"{}\" is not offered", printable(*name)), R"(write "int32" or "int64")");
  return std::nullopt;
}

void LayerReader::not_offered(std::string_view key, std::string_view remedy) {
  const json::Value* found = given(key);
  if (found == nullptr || (found->kind() == json::Kind::boolean && !found->boolean())) return;
  problem(key, fmt::format("\"{}\" is not offered", key), std::string(remedy));
}

LayerPtr LayerReader::layer(std::string_view key) {
  const json::Value* found = given(key);
  return found == nullptr ? nullptr : layer(*found);
}

LayerPtr LayerReader::layer(const json::Value& entry) const {
  LayerPtr inner = read_inner_(entry);
  if (inner != nullptr && inner->name().empty()) inner->give_name(snake_case(inner->class_name()));
  return inner;
}

std::vector<std::int64_t> LayerReader::extents(std::string_view key) {
  return required<std::vector<std::int64_t>>(key, {.at_least = -1, .at_most = largest_extent});
}

Padding LayerReader::padding() { return one_of("padding", paddings, Padding::valid); }

std::string LayerReader::activation_name(std::string_view key, std::string_view otherwise) {
  const json::Value* found = value(key);
  if (found == nullptr) return std::string(otherwise);
  if (found->kind() == json::Kind::null) return "linear";
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
    return function->string();
  }
  return json::convert<std::string>(*found, problems_).value_or("linear");
}

std::string LayerReader::activation(std::string_view key) {
  std::string name = activation_name(key);
  if (find_activation(name) != nullptr) return name;
  std::vector<std::string_view> known;
  for (const Activation& row : activations()) known.push_back(row.name);
  const json::Value* found = given(key);
  const bool is_object = found->kind() == json::Kind::object;
  problems_.add(is_object ? found->find("config")->place() : found->place(),
                fmt::format("unknown activation \"{}\"", printable(name)), did_you_mean(name, known));
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

std::optional<Constraint> LayerReader::constraint(std::string_view key) {
  const json::Value* found = given(key);
  return found == nullptr ? std::nullopt : constraint_from_json(*found, problems_, passed_);
}

WeightRule LayerReader::rule(std::string_view stem, const Initializer& otherwise) {
  return {initializer(fmt::format("{}_initializer", stem), otherwise),
          regularizer(fmt::format("{}_regularizer", stem)), constraint(fmt::format("{}_constraint", stem))};
}

}  // namespace wt::model
