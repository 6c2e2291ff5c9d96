#include "model/constraint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/utf8.h"
#include "model/constants.h"
#include "model/layers/spatial.h"
#include "model/operands.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

Symbol norm_of(Symbol weight, const std::vector<int>& axes) {
  Shape reduced;
  const int rank = weight.shape().rank();
  for (const int axis : axes) {
    const int own = axis < 0 ? axis + rank : axis;
    if (own < 0 || own >= rank)
      throw InputError(
          fmt::format("Invalid reduction dimension ({} for input with {} dimension(s)", axis, rank),
          fmt::format("the constraint takes the norm along axes of the weight, which is {}",
                      print(weight.spec())));
    reduced.append(own);
  }
  return sqrt(reduce_sum(square(weight), reduced, true));
}

// The ring at a distance from the centre has the value that Keras 2 reads on the diagonal: that of the centre first, and
// then downwards, so that the rings of an even kernel of extent 4 have those at 1 and 3.
Symbol radial(Symbol weight) {
  const Shape shape = weight.shape();
  if (shape.rank() != 4)
    throw InputError(fmt::format("The weight tensor must have rank 4. Received weight tensor with shape: {}",
                                 shape_in_python(shape)),
                     "constrain the kernel of a two-dimensional convolution");
  const std::int64_t extent = shape[0], start = extent / 2, odd = extent % 2;
  if (shape[1] != extent || start == 0 || extent > Shape::max_rank)
    throw InputError(fmt::format("a radial constraint of {}", print(weight.spec())),
                     "constrain square kernels of 2 to 8 rows");
  std::vector<Symbol> diagonal;
  const std::vector<Symbol> lines = spatial::slices(weight, 0);
  for (std::int64_t i = 0; i < extent; ++i)
    diagonal.push_back(spatial::slices(lines[static_cast<std::size_t>(i)], 1)[static_cast<std::size_t>(i)]);
  const auto ring_of = [&](std::int64_t i) { return i < start ? start - i - (1 - odd) : i - start; };
  std::vector<Symbol> rows;
  for (std::int64_t i = 0; i < extent; ++i) {
    std::vector<Symbol> row;
    for (std::int64_t j = 0; j < extent; ++j) {
      const std::int64_t ring = std::max(ring_of(i), ring_of(j));
      row.push_back(diagonal[static_cast<std::size_t>(ring == 0 ? start - 1 : start + ring - odd)]);
    }
    rows.push_back(concat(row, 1));
  }
  return concat(rows, 0);
}

struct Row {
  std::string_view name{};
  Aliases aliases{};
  Constraint (*read)(ConfigReader& config, const std::vector<int>& axes) = nullptr;
};

constexpr Row rows[] = {
    {"NonNeg",
     {"non_neg", "nonneg"},
     [](ConfigReader&, const std::vector<int>&) -> Constraint { return NonNegative{}; }},
    {"MaxNorm",
     {"max_norm", "maxnorm"},
     [](ConfigReader& config, const std::vector<int>& axes) -> Constraint {
       return MaxNorm{config.number("max_value", 2, json::not_negative), axes};
     }},
    {"MinMaxNorm",
     {"min_max_norm", "minmaxnorm"},
     [](ConfigReader& config, const std::vector<int>& axes) -> Constraint {
       return MinMaxNorm{config.number("min_value", 0, json::not_negative),
                         config.number("max_value", 1, json::not_negative),
                         config.number("rate", 1, {.at_least = 0.0, .at_most = 1.0}), axes};
     }},
    {"RadialConstraint",
     {"radial_constraint", "radialconstraint"},
     [](ConfigReader&, const std::vector<int>&) -> Constraint { return Radial{}; }},
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
                 [&](const Radial&) { return radial(weight); },
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
