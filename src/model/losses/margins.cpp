// Hinges: a prediction costs nothing once it is right by a margin of 1.

#include "model/losses/losses.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// Labels 0 and 1 stand for -1 and 1, unless there is a label that is neither.
Symbol signs(Symbol labels) {
  const Symbol zero = number_like(labels, 0), one = number_like(labels, 1);
  const Symbol is_another = negated(either(equal(labels, zero), equal(labels, one)));
  Shape axes;
  for (int axis = 0; axis < labels.shape().rank(); ++axis) axes.append(axis);
  return select(any(is_another, axes, false), labels, labels * 2.0 - 1.0);
}

Symbol margins(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  return at_least(number_like(p, 1) - signs(y) * p, 0);
}

LossValues hinge(const LossCall& call) { return mean_of_row(margins(call)); }
LossValues squared_hinge(const LossCall& call) { return mean_of_row(square(margins(call))); }

LossValues categorical_hinge(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  const Symbol wrong = (number_like(y, 1) - y) * p;
  return at_least(reduce_max(wrong, last_axis_of(wrong)) - sum_of_row(y * p) + 1.0, 0);
}

constexpr std::array rows_of_margin_losses{
    LossClass{.name = "CategoricalHinge",
              .aliases = {"categorical_hinge"},
              .summary = "max(1 + the largest wrong prediction - the right one, 0)",
              .values = categorical_hinge},
    LossClass{.name = "Hinge",
              .aliases = {"hinge"},
              .summary = "mean of max(1 - label * prediction, 0) over the last axis",
              .values = hinge},
    LossClass{.name = "SquaredHinge",
              .aliases = {"squared_hinge"},
              .summary = "mean of max(1 - label * prediction, 0)^2 over the last axis",
              .values = squared_hinge},
};

}  // namespace

std::span<const LossClass> margin_losses() { return rows_of_margin_losses; }

}  // namespace wt::model
