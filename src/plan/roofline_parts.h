#pragma once
// What a kernel's seconds go by: the roofline's two sides, and the gap before it.

#include <span>
#include <vector>

#include "plan/roofline.h"

namespace wt::plan {

struct Parts {
  Seconds arithmetic{};  // operations are slower than operands
  Seconds memory{};      // operands are; and transforms of convolutions
  Seconds gap{};
  Seconds sum() const { return arithmetic + memory + gap; }
};

// By node, as roofline() prices them, without its scale.
std::vector<Parts> roofline_parts(const Plan& plan, std::span<const device::DeviceType* const> types,
                                  const RooflineOptions& options = {});

}  // namespace wt::plan
