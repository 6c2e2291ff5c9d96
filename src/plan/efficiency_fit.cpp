#include "plan/efficiency_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace wt::plan {

namespace {

using device::Efficiency;

constexpr double Efficiency::*constants[] = {&Efficiency::convolution, &Efficiency::product,
                                             &Efficiency::memory};

// The weight of the draw towards a common factor, beside the error of each step. Constants that differ from a common
// factor by 30 % cost as much as an error of 3 % in every step. The weight grows with the number of steps, so that many steps
// of few networks don't determine constants that other networks need.
constexpr double draw = 0.01;

// Errors count by their squares up to about this size, and by their size from there on (Charbonnier's loss), so that a
// row that no constants explain doesn't decide about all others.
constexpr double linear_from = 0.1;

// The sum of squares of the constants' distances from a common factor times the generic constants, in logarithms.
double distance_from_a_common_factor(const Efficiency& efficiency) {
  const Efficiency generic;
  double sum = 0, squares = 0;
  for (const auto constant : constants) {
    const double factor = std::log(efficiency.*constant / (generic.*constant));
    sum += factor;
    squares += factor * factor;
  }
  return squares - sum * sum / static_cast<double>(std::size(constants));
}

double cost_of(std::span<const MeasuredStep> steps, const Efficiency& efficiency) {
  double sum = draw * static_cast<double>(steps.size()) * distance_from_a_common_factor(efficiency);
  for (const MeasuredStep& step : steps) {
    const double error = std::log(predicted(step, efficiency) / step.measured);
    sum += 2 * linear_from * (std::hypot(error, linear_from) - linear_from);
  }
  return sum;
}

double within(double constant) { return std::clamp(constant, 0.02, 1.0); }

}  // namespace

Seconds predicted(const MeasuredStep& step, const Efficiency& efficiency) {
  Seconds sum = step.beside;
  for (const Demand& demand : step.demands) sum += price(demand, efficiency).seconds;
  return sum;
}

// Pattern search (Hooke and Jeeves, 1961): all constants together and each alone are changed by a factor, and the
// factor shrinks when no change reduces the error.
Efficiency fitted(std::span<const MeasuredStep> steps) {
  std::vector<std::vector<double Efficiency::*>> moves{{std::begin(constants), std::end(constants)}};
  for (const auto constant : constants) moves.push_back({constant});
  Efficiency best;
  if (steps.empty()) return best;
  double least = cost_of(steps, best);
  for (double factor = 1.2; factor > 1.0005; factor = std::sqrt(factor)) {
    bool helped = true;
    for (int round = 0; helped && round < 50; ++round) {
      helped = false;
      for (const auto& moved : moves)
        for (const double by : {factor, 1 / factor}) {
          Efficiency tried = best;
          for (const auto constant : moved) tried.*constant = within(best.*constant * by);
          const double error = cost_of(steps, tried);
          if (error >= least) continue;
          best = tried;
          least = error;
          helped = true;
        }
    }
  }
  return best;
}

Efficiency scaled(const MeasuredStep& step) {
  const auto by = [](double factor) {
    Efficiency efficiency;
    for (const auto constant : constants) efficiency.*constant = within(efficiency.*constant * factor);
    return efficiency;
  };
  double low = 1.0 / 64, high = 64;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (predicted(step, by(middle)) > step.measured ? low : high) = middle;
  }
  return by(std::sqrt(low * high));
}

}  // namespace wt::plan
