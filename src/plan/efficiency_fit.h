#pragma once
// Fits the three constants of a device (device::Efficiency) to measured steps.

#include <span>
#include <vector>

#include "plan/roofline.h"

namespace wt::plan {

// A step whose time was measured or published.
struct MeasuredStep {
  std::vector<Demand> demands{};  // by node, made for the device on which the step ran
  Seconds beside{};               // time that the step takes in addition to its kernels
  Seconds measured{};
};

// The time that the roofline predicts for the step with these constants.
Seconds predicted(const MeasuredStep& step, const device::Efficiency& efficiency);

// The constants, each between 0.02 and 1, with the least sum of squares of log(predicted / measured), of
// which errors above a tenth count by their size. A constant that
// the steps say nothing about, such as that of products in a convolutional network, follows the others: constants are
// drawn weakly towards the generic ones times a common factor. The search is deterministic. Without steps the result is
// the generic constants.
device::Efficiency fitted(std::span<const MeasuredStep> steps);

// The generic constants times one common factor, which is all that a single step determines. Constants stay
// at most 1.
device::Efficiency scaled(const MeasuredStep& step);

}  // namespace wt::plan
