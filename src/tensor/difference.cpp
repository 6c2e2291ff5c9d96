#include "tensor/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wt {

namespace {

constexpr double infinitely_far = std::numeric_limits<double>::infinity();

}  // namespace

double relative_difference(double ours, double theirs) {
  if (!std::isfinite(ours) || !std::isfinite(theirs)) return infinitely_far;
  const double difference = std::abs(ours - theirs);
  return difference == 0 ? 0 : difference / std::abs(theirs);
}

double relative_difference(const Tensor& ours, const Tensor& theirs) {
  WT_EXPECT(ours.spec() == theirs.spec(), "tensors of {} and {} are compared", print(ours.spec()),
            print(theirs.spec()));
  if (theirs.spec().type != Type::float32) return 0;
  double difference = 0, largest = 0;
  const auto a = ours.values<float>(), b = theirs.values<float>();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return infinitely_far;
    difference = std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  return difference == 0 ? 0 : difference / largest;
}

}  // namespace wt
