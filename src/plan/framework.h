#pragma once
// What the software of a framework makes of the operations of a plan. It is no property of the device.

#include <cstdint>

namespace wt::plan {

// How far neighbouring operations are joined into one kernel.
enum class Fusion : std::uint8_t {
  none,         // one kernel per operation, one update per variable: TensorFlow 1, eager PyTorch
  activations,  // the normalization also computes the relu and the residual sum after it: XLA, NVIDIA's MXNet
  program       // in addition, batch normalization needs fewer passes: TPU
};

// How an optimizer updates a variable.
enum class Updates : std::uint8_t {
  fused,      // one kernel: TensorFlow's own optimizers, Keras 2's on GPUs, all that XLA compiles
  operations  // a kernel for each operation: Keras 3's without XLA
};

// The order in which the numbers of images are kept between kernels.
enum class Images : std::uint8_t { channels_last, channels_first };

}  // namespace wt::plan
