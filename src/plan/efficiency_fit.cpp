#include "plan/efficiency_fit.h"

#include <algorithm>
#include <cmath>

namespace wt::plan {

namespace {

using device::Efficiency;

constexpr double Efficiency::*constants[] = {&Efficiency::convolution, &Efficiency::product,
                                             &Efficiency::memory};

double squares(std::span<const MeasuredStep> steps, const Efficiency& efficiency) {
  double sum = 0;
  for (const MeasuredStep& step : steps) {
    const double error = std::log(predicted(step, efficiency) / step.measured);
    sum += error * error;
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

// Pattern search (Hooke and Jeeves, 1961): one constant at a time is changed by a factor, and the factor
// shrinks when no change reduces the error.
Efficiency fitted(std::span<const MeasuredStep> steps) {
  Efficiency best;
  double least = squares(steps, best);
  for (double factor = 1.2; factor > 1.0005; factor = std::sqrt(factor)) {
    bool helped = true;
    for (int round = 0; helped && round < 50; ++round) {
      helped = false;
      for (const auto constant : constants)
        for (const double by : {factor, 1 / factor}) {
          Efficiency tried = best;
          tried.*constant = within(best.*constant * by);
          const double error = squares(steps, tried);
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
