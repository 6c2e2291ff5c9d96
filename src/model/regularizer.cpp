#include "model/regularizer.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "model/constants.h"
#include "model/serialized.h"

namespace wt::model {

namespace {

struct Row {
  std::string_view name{};
  std::string_view class_name{};
  Regularizer otherwise{};  // Keras' defaults
};
constexpr Row regularizer_rows[] = {
    {"l1", "L1", {.l1 = 0.01}},
    {"l2", "L2", {.l2 = 0.01}},
    {"l1_l2", "L1L2", {}},
    {"orthogonal_regularizer", "OrthogonalRegularizer", {.orthogonal = 0.01}},
};

// OrthogonalRegularizer of Keras 2.15 and 3 (Brock et al., 2016): of the cosines between two different rows, each pair
// of which the product has twice.
Symbol mean_cosine(Symbol weight, bool compares_rows) {
  if (weight.shape().rank() != 2)
    throw InputError(
        fmt::format("[OrthogonalRegularizer] the weight is {}, not a matrix", print(weight.spec())),
        "regularize the kernel of a Dense, or choose L1 or L2");
  constexpr double least_square = 1e-12;  // of tf.math.l2_normalize
  const Symbol squares = reduce_sum(square(weight), {compares_rows ? 1 : 0}, true);
  const Symbol unit = weight / sqrt(maximum(squares, number_like(weight, least_square)));
  const Symbol cosines = matmul(unit, unit, {.transpose_a = !compares_rows, .transpose_b = compares_rows});
  const std::int64_t count = cosines.shape()[0];
  if (count < 2) return number_like(weight, 0);
  const Symbol numbers = range(*weight.trace, {weight.spec().type, {count}}, 1);
  const Symbol is_same = cast(equal(reshape(numbers, {count, 1}), numbers), weight.spec().type);
  const auto pairs = static_cast<double>(count * (count - 1));
  return reduce_sum(abs(cosines * (-is_same + 1))) / pairs;
}

}  // namespace

Symbol penalty(Symbol weight, const Regularizer& regularizer) {
  std::optional<Symbol> sum;
  const auto add = [&](Symbol term) { sum = sum ? *sum + term : term; };
  if (regularizer.l1 != 0) add(reduce_sum(abs(weight)) * regularizer.l1);
  if (regularizer.l2 != 0) add(reduce_sum(square(weight)) * regularizer.l2);
  if (regularizer.orthogonal != 0)
    add(mean_cosine(weight, regularizer.compares_rows) * regularizer.orthogonal);
  return sum ? *sum : number_like(weight, 0);
}

std::optional<Regularizer> regularizer_from_json(const json::Value& value, Problems& problems,
                                                 json::PassedOver* passed) {
  if (value.kind() == json::Kind::null) return std::nullopt;
  const std::optional<Serialized> named = read_serialized(value, problems, passed);
  if (!named) return std::nullopt;
  std::vector<std::string_view> known;
  for (const Row& row : regularizer_rows) {
    known.push_back(row.class_name);
    if (row.name != named->name && row.class_name != named->name) continue;
    if (named->config == nullptr) return row.otherwise;
    ConfigReader config(named->config, problems);
    Regularizer read;
    if (row.otherwise.orthogonal != 0) {
      read.orthogonal = config.number("factor", row.otherwise.orthogonal, {.at_least = 0.0});
      const std::string mode = config.text("mode", "rows");
      read.compares_rows = mode != "columns";
      if (read.compares_rows && mode != "rows")
        config.problem("mode", fmt::format("\"{}\" is no mode", printable(mode)),
                       "write \"rows\" or \"columns\"");
    } else {
      read.l1 = config.number("l1", row.otherwise.l1, {.at_least = 0.0});
      read.l2 = config.number("l2", row.otherwise.l2, {.at_least = 0.0});
    }
    config.finish(passed);
    return read;
  }
  problems.add(named->place, fmt::format("unknown regularizer \"{}\"", printable(named->name)),
               did_you_mean(named->name, known));
  return std::nullopt;
}

}  // namespace wt::model
