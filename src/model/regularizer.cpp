#include "model/regularizer.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "model/constants.h"
#include "model/operands.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

struct Row {
  std::string_view name{};
  Aliases aliases{};
  Regularizer otherwise{};  // Keras' defaults
  bool keras3 = true;
};
constexpr Row regularizer_rows[] = {
    {"L1", {"l1"}, {.l1 = 0.01}},
    {"L2", {"l2"}, {.l2 = 0.01}},
    {"L1L2", {"l1l2"}, {}},
    {"l1_l2", {}, {.l1 = 0.01, .l2 = 0.01}, false},
    {"OrthogonalRegularizer", {"orthogonal_regularizer"}, {.orthogonal = 0.01}},
};

// OrthogonalRegularizer of Keras 2.15 and 3 (Brock et al., 2016): of the cosines between two different rows, each pair
// of which the product has twice.
Symbol mean_cosine(Symbol weight, bool compares_rows, Semantics semantics) {
  if (weight.shape().rank() != 2)
    throw InputError(
        fmt::format("Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape{}{}",
                    semantics == Semantics::keras3 ? "=" : " == ", shape_in_python(weight.shape())),
        "regularize the kernel of a Dense, or choose L1 or L2");
  const Symbol unit = unit_vectors(weight, compares_rows ? 1 : 0, semantics);
  const Symbol cosines = matmul(unit, unit, {.transpose_a = !compares_rows, .transpose_b = compares_rows});
  const std::int64_t count = cosines.shape()[0];
  if (count < 2) return number_like(weight, 0);
  const Symbol numbers = range(*weight.trace, {weight.spec().type, {count}}, 1);
  const Symbol is_same = cast(equal(reshape(numbers, {count, 1}), numbers), weight.spec().type);
  const auto pairs = static_cast<double>(count * (count - 1));
  return reduce_sum(abs(cosines * (-is_same + 1))) / pairs;
}

}  // namespace

Symbol penalty(Symbol weight, const Regularizer& regularizer, Semantics semantics) {
  std::optional<Symbol> sum;
  const auto add = [&](Symbol term) { sum = sum ? *sum + term : term; };
  if (regularizer.l1 != 0) add(reduce_sum(abs(weight)) * regularizer.l1);
  if (regularizer.l2 != 0) add(reduce_sum(square(weight)) * regularizer.l2);
  if (regularizer.orthogonal != 0)
    add(mean_cosine(weight, regularizer.compares_rows, semantics) * regularizer.orthogonal);
  return sum ? *sum : number_like(weight, 0);
}

namespace {

Regularizer read_orthogonal(ConfigReader& config, const Regularizer& otherwise) {
  Regularizer read;
  read.orthogonal = config.number("factor", otherwise.orthogonal, {.at_least = 0.0});
  const std::string mode = config.text("mode", "rows");
  read.compares_rows = mode != "columns";
  if (read.compares_rows && mode != "rows")
    config.problem(
        "mode",
        fmt::format("Invalid value for argument `mode`. Expected one of {{\"rows\", \"columns\"}}. "
                    "Received: mode={}",
                    printable(mode)),
        "write \"rows\" or \"columns\"");
  return read;
}

}  // namespace

std::optional<Regularizer> regularizer_from_json(const json::Value& value, Problems& problems,
                                                 json::PassedOver* passed, std::optional<Semantics> version) {
  if (value.kind() == json::Kind::null) return std::nullopt;
  const std::optional<Serialized> named = read_serialized(value, problems, passed);
  if (!named) return std::nullopt;
  const Row* row = find_row(regularizer_rows, named->name);
  if (row == nullptr || (version == Semantics::keras3 && !row->keras3)) {
    problems.add(unknown_row(regularizer_rows, named->place, named->name, "regularizer"));
    return std::nullopt;
  }
  ConfigReader config(named->config, problems);
  if (row->otherwise.orthogonal != 0) {
    const Regularizer read = read_orthogonal(config, row->otherwise);
    config.finish(passed);
    return read;
  }
  const Regularizer read{.l1 = config.number("l1", row->otherwise.l1, {.at_least = 0.0}),
                         .l2 = config.number("l2", row->otherwise.l2, {.at_least = 0.0})};
  config.finish(passed);
  return read;
}

}  // namespace wt::model
