#pragma once
// The memory traffic of each node. Work (kernel/work.h) counts each operand once. Real kernels may pass over
// a tensor several times, frameworks fuse neighbouring operations, and numbers may be narrower than float32.

#include <cstdint>
#include <optional>
#include <vector>

#include "device/type.h"
#include "plan/plan.h"

namespace wt::plan {

// How far a framework fuses neighbouring operations. It is a property of the software and not of the device.
enum class Fusion : std::uint8_t {
  none,         // one kernel per operation, one update per variable: TensorFlow 1, eager PyTorch
  activations,  // the normalization also computes the relu and the residual sum after it: XLA, NVIDIA's MXNet
  program       // in addition, batch normalization needs fewer passes: TPU
};

// How an optimizer updates a variable. It is a property of the software, too.
enum class Updates : std::uint8_t {
  fused,      // one kernel: TensorFlow's own optimizers, Keras 2's on GPUs, all that XLA compiles
  operations  // a kernel for each operation: Keras 3's without XLA
};

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
