#pragma once
// The three constants of a device from measured steps.

#include <span>
#include <vector>

#include "plan/roofline.h"

namespace wt::plan {

// A step whose time is known.
struct MeasuredStep {
  std::vector<Demand> demands{};  // with the types and options of the device it ran on
  Seconds beside{};               // what takes time beside the kernels
  Seconds measured{};
};

Seconds predicted(const MeasuredStep& step, const device::Efficiency& efficiency);

// Least squares of the errors' logarithms, each constant between 0.02 and 1. Deterministic. Without steps: the
// generic ones.
device::Efficiency fitted(std::span<const MeasuredStep> steps);

// The generic constants with one overall factor: what a single step can tell. Constants stay at most 1.
device::Efficiency scaled(const MeasuredStep& step);

}  // namespace wt::plan
