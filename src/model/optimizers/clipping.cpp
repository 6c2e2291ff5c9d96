#include "model/optimizers/clipping.h"

#include "model/constants.h"
#include "model/look_ups.h"
#include "program/operations.h"

namespace wt::model {

// Of a table's gradient TensorFlow multiplies the rows.
Symbol times(Symbol gradient, Symbol factor) {
  return with_look_ups(gradient, [&](Symbol rows) { return rows * factor; }).value_or(gradient * factor);
}

namespace {

Symbol sum_of_squares(Symbol gradient) {
  return sum_over_look_ups(gradient, square).value_or(reduce_sum(square(gradient)));
}

Symbol clipped_by_norm(Symbol gradient, double most) {
  const Symbol limit = number_like(gradient, most);
  return times(gradient, limit / maximum(sqrt(sum_of_squares(gradient)), limit));
}

Symbol clipped_by_value(Symbol gradient, double most) {
  const auto clipped = [&](Symbol x) {
    return maximum(minimum(x, number_like(x, most)), number_like(x, -most));
  };
  return with_look_ups(gradient, clipped).value_or(clipped(gradient));
}

// The difference is 0, or NaN where the norm is not finite.
Gradients clipped_by_global_norm(const Gradients& gradients, double most) {
  Symbol sum = sum_of_squares(gradients.front());
  for (std::size_t i = 1; i < gradients.size(); ++i) sum = sum + sum_of_squares(gradients[i]);
  const Symbol norm = sqrt(sum), one = number_like(norm, 1);
  const Symbol scale = minimum(one / norm, number_like(norm, 1 / most)) * most + (norm - norm);
  Gradients clipped;
  for (const Symbol& gradient : gradients) clipped.push_back(times(gradient, scale));
  return clipped;
}

}  // namespace

Gradients clipped(Gradients gradients, const Optimizer& optimizer) {
  const auto limit = [](const std::optional<double>& argument) { return argument.value_or(0); };
  if (limit(optimizer.clipnorm) > 0) {
    for (Symbol& gradient : gradients) gradient = clipped_by_norm(gradient, *optimizer.clipnorm);
  } else if (limit(optimizer.global_clipnorm) > 0) {
    return clipped_by_global_norm(gradients, *optimizer.global_clipnorm);
  } else if (limit(optimizer.clipvalue) > 0) {
    for (Symbol& gradient : gradients) gradient = clipped_by_value(gradient, *optimizer.clipvalue);
  }
  return gradients;
}

Symbol zero_if_finite(const Gradients& gradients) {
  Symbol sum = reduce_sum(gradients.front() * 0.0);
  for (std::size_t i = 1; i < gradients.size(); ++i) sum = sum + reduce_sum(gradients[i] * 0.0);
  return sum;
}

}  // namespace wt::model
