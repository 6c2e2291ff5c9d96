#pragma once
// Divides the predicted seconds of a kernel into arithmetic, memory traffic and the gap before the kernel.

#include <span>
#include <vector>

#include "plan/roofline.h"

namespace wt::plan {

// The parts of a kernel's time. Of arithmetic and traffic, which overlap, only the longer one counts.
struct Parts {
  Seconds arithmetic{};  // time of the arithmetic, if it is longer than that of the operands' traffic
  Seconds memory{};      // time of the operands' traffic, if longer; and of convolution transforms
  Seconds gap{};
  Seconds sum() const { return arithmetic + memory + gap; }
};

// By node, with the same prices as roofline() but without RooflineOptions::scale.
std::vector<Parts> roofline_parts(const Plan& plan, std::span<const device::DeviceType* const> types,
                                  const RooflineOptions& options = {});

}  // namespace wt::plan
