// The circle loss (Sun et al., 2020) of unit vectors: those of one class are to be near to each other, and far from those
// of other classes. Each row is compared with all rows of the batch. Keras 3 has it.

#include <limits>

#include "model/losses/losses.h"
#include "model/mask.h"

namespace wt::model {

namespace {

constexpr double default_gamma = 80;

// ln of the sum of e^x in each row, -infinity for a row that has only that.
Symbol log_sum_exp(Symbol x) {
  const Symbol largest = reduce_max(x, {1}, true);
  const Symbol is_finite = greater(largest, number_like(x, std::numeric_limits<float>::lowest()));
  const Symbol shift = stop_gradient(select(is_finite, largest, number_like(x, 0)));
  return log(reduce_sum(exp(x - shift), {1})) + reshape(shift, {x.shape()[0]});
}

// The same where the mask is true.
Symbol log_sum_exp_of(Symbol x, Symbol mask) {
  return log_sum_exp(select(mask, x, number_like(x, -std::numeric_limits<double>::infinity())));
}

struct Pairs {
  Symbol alike{};   // two different rows of one class
  Symbol unlike{};  // two rows of different classes
};

Pairs pairs_of(const LossCall& call) {
  const std::int64_t rows = call.predictions.shape()[0];
  const Symbol labels = as_type(call.labels, Type::int32);
  const Symbol is_same = equal(reshape(labels, {rows, 1}), reshape(labels, {1, rows}));
  if (!call.options.remove_diagonal) return {is_same, negated(is_same)};
  const Symbol numbers = range(*labels.trace, {Type::int32, {rows}}, 1);
  const Symbol is_itself = equal(reshape(numbers, {rows, 1}), numbers);
  return {both(is_same, negated(is_itself)), negated(is_same)};
}

LossValues circle(const LossCall& call) {
  const Symbol p = call.predictions;
  if (p.shape().rank() != 2 || call.labels.shape().elements() != p.shape()[0])
    refuse(call, "give one class for each row, and predictions of shape [rows, features]");
  const auto [alike, unlike] = pairs_of(call);
  const auto numbers = [&](Symbol mask) { return cast(mask, p.spec().type); };
  const double margin = call.options.margin, gamma = call.options.gamma.value_or(default_gamma);
  const Symbol distance = at_least(-matmul(p, p, {.transpose_b = true}) + 1.0, 0);
  const Symbol near = at_least((distance + margin) * numbers(alike), 0);
  const Symbol far = at_least((-distance + (1 + margin)) * numbers(unlike), 0);
  const Symbol of_alike = log_sum_exp_of(near * -gamma * (-distance + margin), alike);
  const Symbol of_unlike = log_sum_exp_of(far * gamma * (-distance + (1 - margin)), unlike);
  const Symbol values = softplus(of_alike + of_unlike);
  return {values, greater(values, number_like(values, 0))};
}

void read_circle(LossOptions& options, Arguments& arguments) {
  options.gamma = options.gamma.value_or(default_gamma);
  arguments.number("gamma", *options.gamma);
  arguments.number("margin", options.margin);
  arguments.flag("remove_diagonal", options.remove_diagonal);
}

constexpr std::array rows_of_embedding_losses{
    LossClass{
        .name = "Circle",
        .aliases = {"circle"},
        .summary = "cosines within a class against those between classes, with labels that are class numbers",
        .labels = Labels::others,
        .keras2 = false,
        .arguments = read_circle,
        .values = circle},
};

}  // namespace

std::span<const LossClass> embedding_losses() { return rows_of_embedding_losses; }

}  // namespace wt::model
