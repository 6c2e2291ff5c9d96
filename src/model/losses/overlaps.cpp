// Losses of image segmentation: how far labels and predictions, as sets of pixels, overlap. Keras 3 has them.

#include "model/axes.h"
#include "model/losses/losses.h"

namespace wt::model {

namespace {

// Over the named axes, or over all.
Symbol sum_of(Symbol x, const std::vector<std::int64_t>& axes) {
  if (axes.empty()) return reduce_sum(x);
  Shape own;
  for (const std::int64_t axis : axes) own.append(axis_of(static_cast<int>(axis), x.spec()));
  return reduce_sum(x, own);
}

// Dice, 1945: twice the intersection, divided by the sum of both.
LossValues dice(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  const auto& axes = call.options.axes;
  const Symbol both = sum_of(y * p, axes) * 2.0;
  return -(both / (sum_of(y, axes) + sum_of(p, axes) + epsilon)) + 1.0;
}

constexpr double tversky_weight = 0.5;

// Salehi et al., 2017.
LossValues tversky(const LossCall& call) {
  const auto [y, p] = elements_of(call, false);
  const auto& options = call.options;
  const Symbol both = sum_of(y * p, options.axes);
  const Symbol missed = sum_of((-p + 1.0) * y, options.axes) * options.alpha.value_or(tversky_weight);
  const Symbol wrong = sum_of(p * (-y + 1.0), options.axes) * options.beta;
  return -(both / (both + missed + wrong + epsilon)) + 1.0;
}

void read_axes(LossOptions& options, Arguments& arguments) { arguments.axes("axis", options.axes); }

void read_tversky(LossOptions& options, Arguments& arguments) {
  options.alpha = options.alpha.value_or(tversky_weight);
  arguments.number("alpha", *options.alpha);
  arguments.number("beta", options.beta);
  read_axes(options, arguments);
}

constexpr std::array rows_of_overlap_losses{
    LossClass{.name = "Dice",
              .aliases = {"dice"},
              .summary = "1 - 2 * the overlap of labels and predictions / their sum",
              .keras2 = false,
              .arguments = read_axes,
              .values = dice},
    LossClass{.name = "Tversky",
              .aliases = {"tversky"},
              .summary = "Dice with weights for false positives and false negatives",
              .keras2 = false,
              .arguments = read_tversky,
              .values = tversky},
};

}  // namespace

std::span<const LossClass> overlap_losses() { return rows_of_overlap_losses; }

}  // namespace wt::model
