#pragma once
// The roofline model: the seconds of a kernel from the shapes of its operands. A kernel takes the time of its
// arithmetic or of its memory traffic, whichever is longer (Williams, Waterman and Patterson, 2009), plus a
// gap between kernels. The model has three fitted constants for each generation of devices
// (device::Efficiency). Together with a term for sizes that has no fitted constant (plan/tiling.h) and the
// choice of a convolution algorithm (plan/convolution_algorithm.h), it predicts published training throughput
// within a few percent.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/convolution_algorithm.h"
#include "plan/costs.h"
#include "plan/traffic.h"

namespace wt::plan {

struct RooflineOptions {
  device::Precision precision =
      device::Precision::float32;  // in which products and convolutions of float32 numbers are computed
  Fusion fusion = Fusion::none;
  Updates updates = Updates::fused;
  Images images = Images::channels_last;
  double scale = 1;  // factor on all seconds, such as a measured step over the predicted one
  std::string_view scaled_by = "one measured step";  // where the factor is from
  std::optional<device::Efficiency> efficiency{};    // replaces the constants of the device types
};

// The precision that TensorFlow uses by default: tf32 on GPUs that have it, NVIDIA's from compute capability 8.0
// on, the input type of the matrix unit on TPUs, and float32 elsewhere.
device::Precision default_precision(const device::DeviceType& type);

// The fusion that is usual on a device: the TPU's compiler fuses across the whole program, and TensorFlow's
// kernels for other devices are not fused.
Fusion default_fusion(const device::DeviceType& type);

// The costs of a plan. `types` lists the type of each device by DeviceId. Moves between devices and
// Collectives cost nothing here, because their time comes from the links.
Costs roofline(const Plan& plan, std::span<const device::DeviceType* const> types,
               const RooflineOptions& options = {});

// The sum of all seconds. For a plan on one device, this is the time of a step.
Seconds total(const Costs& costs);

// ---- The same in two steps, for callers that try many constants on one plan

// The work of a node in the terms of its device. The fastest of the methods determines its time.
struct Demand {
  std::vector<Method> methods{};
  double operands = 0;                                       // bytes of traffic that no method avoids
  device::Precision precision = device::Precision::float32;  // of its products and convolutions
  BytesPerSecond bandwidth{};                                // of the device's data sheet
  Seconds gap{};                                             // before the kernel, while the device is idle
};

// By node. Each demand has at least one method, which for Moves and Sums is "copy".
std::vector<Demand> demands(const Plan& plan, std::span<const device::DeviceType* const> types,
                            const RooflineOptions& options = {});

// The constants of a device type, or the generic ones if the type has none for this precision.
device::Efficiency efficiency_of(const device::DeviceType& type, device::Precision precision);

const Method& fastest(const Demand& demand, const device::Efficiency& efficiency);
Cost price(const Demand& demand, const device::Efficiency& efficiency);

}  // namespace wt::plan
