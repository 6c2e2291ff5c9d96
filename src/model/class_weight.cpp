#include "model/class_weight.h"

#include <fmt/format.h>

#include "model/constants.h"
#include "model/operands.h"

namespace wt::model {

namespace {

// As int64, rounded.
Symbol class_numbers(Symbol labels) {
  const Shape shape = labels.shape();
  if (shape.rank() > 1 && shape.last() > 1) return argmax(as_float(labels));
  const Symbol column = shape.rank() > 1 ? reshape(labels, shape.without(shape.rank() - 1)) : labels;
  return cast(is_floating(column.spec().type) ? column + 0.5 : column, Type::int64);
}

}  // namespace

void require_class_weight(const ClassWeight& weights, std::size_t outputs, Semantics semantics) {
  if (weights.empty()) return;
  if (outputs > 1)
    throw InputError("`class_weight` is only supported for Models with a single output.",
                     "leave it out, or weight the losses of the outputs with \"loss_weights\"");
  if (weights.begin()->first < 0)
    throw InputError(fmt::format("class {} in class_weight", weights.begin()->first), "count classes from 0");
  const bool is_whole = weights.rbegin()->first == std::ssize(weights) - 1;
  if (is_whole || semantics == Semantics::keras3) return;
  std::string found;
  for (const auto& [of, weight] : weights)
    found += fmt::format("{}{}: {}", found.empty() ? "" : ", ", of, weight);
  throw InputError(
      fmt::format("Expected `class_weight` to be a dict with keys from 0 to one less than the number of "
                  "classes, found {{{}}}",
                  found),
      "name every class, or take semantics keras3");
}

// Each row has a 1 at its class, so that the sum picks its weight without rounding.
Symbol weight_of_labels(Symbol labels, const ClassWeight& weights) {
  std::vector<double> numbers(static_cast<std::size_t>(weights.rbegin()->first) + 1, 1);
  for (const auto& [of, weight] : weights) numbers[static_cast<std::size_t>(of)] = weight;
  const Symbol picks = one_hot(class_numbers(labels), std::ssize(numbers));
  const Shape last = last_axis_of(picks);
  const Symbol named = reduce_sum(picks * constants(*labels.trace, numbers), last);
  return named + (-reduce_sum(picks, last) + 1.0);
}

}  // namespace wt::model
