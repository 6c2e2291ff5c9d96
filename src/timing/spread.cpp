#include "timing/spread.h"

#include <cmath>
#include <numbers>

namespace wt::timing {

// The largest of n is at most x with the probability F(x)^n. Its mean is the integral of 1 - F(x)^n over x > 0 less
// that of F(x)^n over x < 0, here by the trapezoidal rule.
double expected_largest(std::size_t count) {
  constexpr double end = 12, step = 1.0 / 128;
  const auto n = static_cast<double>(count);
  double sum = 0;
  for (double x = -end; x <= end; x += step) {
    const double power = std::pow(std::erfc(-x / std::numbers::sqrt2) / 2, n);
    sum += x < 0 ? -power : x > 0 ? 1 - power : 0.5 - power;
  }
  return sum * step;
}

}  // namespace wt::timing
