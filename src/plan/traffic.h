#pragma once
// The memory traffic of each node. Work (kernel/work.h) counts each operand once. Real kernels may pass over
// a tensor several times, frameworks fuse neighbouring operations, and numbers may be narrower than float32.

#include <optional>
#include <vector>

#include "device/type.h"
#include "plan/framework.h"
#include "plan/plan.h"

namespace wt::plan {

// The type of the halves among a kernel's operands, as mixed precision makes them; none if all numbers are wider.
std::optional<device::Precision> half_precision(const Run& run);
// That of the first kernel with halves.
std::optional<device::Precision> half_precision(const Plan& plan);

struct Traffic {
  double bytes = 0;          // bytes that the device reads and writes
  double operands = 0;       // lower bound: each operand once, or less where fusion removes it
  double launches = 1;       // kernel launches; 0: the node is fused into another kernel
  double element_bytes = 4;  // of a floating-point number
};

// By node, including Moves and Sums. A precision of 16 bits makes the float32 numbers of a plan without halves half as
// wide. In a plan with halves all numbers have the width of their types.
std::vector<Traffic> traffic_of(const Plan& plan, Fusion fusion, device::Precision precision,
                                Updates updates = Updates::fused);

}  // namespace wt::plan
