#pragma once
// What a kernel's Work doesn't say about memory: how often real kernels pass over their tensors, what a
// framework fuses away, and how wide numbers are.

#include <cstdint>
#include <vector>

#include "device/type.h"
#include "plan/plan.h"

namespace wt::plan {

// How far a framework joins neighbouring operations; a property of the software, not of the device.
enum class Fusion : std::uint8_t {
  none,         // a kernel for each operation, one update for each variable: TensorFlow 1, eager PyTorch
  activations,  // relu and the residual sum are done by the normalization before them: XLA, NVIDIA's MXNet
  program       // batch normalization saves passes, too: TPU
};

struct Traffic {
  double bytes = 0;          // what the device moves
  double operands = 0;       // every operand once, or less where that is fused away: nobody moves less
  double launches = 1;       // 0: the node is a part of another's kernel
  double element_bytes = 4;  // of a floating-point number
};

// By node; of Moves and Sums, too.
std::vector<Traffic> traffic_of(const Plan& plan, Fusion fusion, device::Precision precision);

}  // namespace wt::plan
