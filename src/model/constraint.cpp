#include "model/constraint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/utf8.h"
#include "model/constants.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

constexpr double epsilon = 1e-7;  // Keras' backend.epsilon(), which keeps a norm of 0 from dividing

Symbol norm_of(Symbol weight, const std::vector<int>& axes) {
  Shape reduced;
  const int rank = weight.shape().rank();
  for (const int axis : axes) {
    const int own = axis < 0 ? axis + rank : axis;
    if (own < 0 || own >= rank)
      throw InputError(
          fmt::format("a constraint takes the norm along axis {} of {}", axis, print(weight.spec())),
          "name axes of the weight");
    reduced.append(own);
  }
  return sqrt(reduce_sum(square(weight), reduced, true));
}

struct Row {
  std::string_view name{};
  Aliases aliases{};
  Constraint (*read)(ConfigReader& config, const std::vector<int>& axes) = nullptr;
};

constexpr json::Range<double> not_negative{.at_least = 0.0};

constexpr Row rows[] = {
    {"NonNeg",
     {"non_neg", "nonneg"},
     [](ConfigReader&, const std::vector<int>&) -> Constraint { return NonNegative{}; }},
    {"MaxNorm",
     {"max_norm", "maxnorm"},
     [](ConfigReader& config, const std::vector<int>& axes) -> Constraint {
       return MaxNorm{config.number("max_value", 2, not_negative), axes};
     }},
    {"MinMaxNorm",
     {"min_max_norm", "minmaxnorm"},
     [](ConfigReader& config, const std::vector<int>& axes) -> Constraint {
       return MinMaxNorm{config.number("min_value", 0, not_negative),
                         config.number("max_value", 1, not_negative),
                         config.number("rate", 1, {.at_least = 0.0, .at_most = 1.0}), axes};
     }},
    {"UnitNorm",
     {"unit_norm", "unitnorm"},
     [](ConfigReader&, const std::vector<int>& axes) -> Constraint { return UnitNorm{axes}; }},
};

std::vector<int> read_axes(ConfigReader& config, Problems& problems) {
  const json::Value* axis = config.value("axis");
  if (axis == nullptr) return {0};
  const json::Range<int> range{.at_least = -Shape::max_rank, .at_most = Shape::max_rank};
  if (axis->kind() == json::Kind::array)
    return json::convert<std::vector<int>>(*axis, problems, range).value_or(std::vector<int>{0});
  return {json::convert<int>(*axis, problems, range).value_or(0)};
}

}  // namespace

Symbol constrained(Symbol weight, const Constraint& constraint) {
  return std::visit(
      overloaded{[&](const NonNegative&) { return maximum(weight, number_like(weight, 0)); },
                 [&](const MaxNorm& c) {
                   const Symbol norm = norm_of(weight, c.axes);
                   return weight * (clipped(norm, 0, c.most) / (norm + epsilon));
                 },
                 [&](const MinMaxNorm& c) {
                   const Symbol norm = norm_of(weight, c.axes);
                   const Symbol desired = clipped(norm, c.least, c.most) * c.rate + norm * (1 - c.rate);
                   return weight * (desired / (norm + epsilon));
                 },
                 [&](const UnitNorm& c) { return weight / (norm_of(weight, c.axes) + epsilon); }},
      constraint);
}

std::optional<Constraint> constraint_from_json(const json::Value& value, Problems& problems,
                                               json::PassedOver* passed) {
  if (value.kind() == json::Kind::null) return std::nullopt;
  const std::optional<Serialized> named = read_serialized(value, problems, passed);
  if (!named) return std::nullopt;
  const Row* row = find_row(rows, named->name);
  if (row == nullptr) {
    problems.add(unknown_row(rows, named->place, named->name, "constraint"));
    return std::nullopt;
  }
  ConfigReader config(named->config, problems);
  const std::vector<int> axes = read_axes(config, problems);
  const Constraint read = row->read(config, axes);
  config.finish(passed);
  return read;
}

}  // namespace wt::model
