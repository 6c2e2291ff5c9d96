#pragma once
// The device on which TensorFlow's eager runtime would run an operation, and the inputs that would be copied
// there. The functions are pure: from devices, kernels and rules they compute a device and a reason, or throw
// TensorFlow's error. Source: tensorflow/core/common_runtime/eager/placement_utils.cc and context.cc.
// program/step_placement.h places a whole step.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensorflow_error.h"
#include "device/name.h"
#include "kernel/operation_name.h"

namespace wt {

// The treatment of an input that is on another device (tf.config.experimental.set_device_policy).
enum class DevicePolicy : std::uint8_t { silent, silent_for_int32, warn, refuse };
std::string_view name(DevicePolicy policy);  // TensorFlow's name; `refuse` is "explicit"
std::optional<DevicePolicy> device_policy_named(std::string_view name);

// The devices and settings of a TensorFlow process.
struct PlacementRules {
  std::vector<device::Name> devices{};  // with all parts of their names
  device::Name task{.job = "localhost", .replica = 0, .task = 0};
  bool soft_placement = true;
  DevicePolicy policy = DevicePolicy::silent;
  // Off in TensorFlow 2.x; TF_EAGER_ENABLE_SMALL_TENSOR_CPU_PINNING=1 turns it on (eager/context.cc).
  bool small_integers_on_cpu = false;
  std::span<const OperationKernels> kernels = operation_kernels();
};

struct PlacedInput {
  TensorSpec spec{};
  device::Name device{};  // on which the operation ran that computed the input
  bool is_resource = false;
};

struct OperationRequest {
  std::string_view operation{};  // TensorFlow's name
  Type type = Type::float32;     // the element type that selects the kernel
  device::Name requested{};      // by tf.device; an empty name requests nothing
  std::vector<PlacedInput> inputs{};
};

// The copy of an input that is in the memory of another device than the kernel reads.
struct InputCopy {
  std::size_t input = 0;
  device::Name from{};
  device::Name to{};
  friend bool operator==(const InputCopy&, const InputCopy&) = default;
};

struct Placement {
  device::Name device{};
  std::string why{};
  std::vector<InputCopy> copies{};
  std::vector<std::string> warnings{};  // one per copy, with the policy `warn`
};

// Places an operation. The first of these that applies decides: the device of a resource input, "regardless
// of anything else that has been specified" (eager/placement_utils.h); the requested device; the CPU for
// small integers, if the rules keep them there; the best device that has a kernel. Throws
// InvalidArgumentError or NotFoundError with TensorFlow's text.
Placement place(const OperationRequest& request, const PlacementRules& rules);

// The device in whose memory a tensor is when `device` computes or reads it. An int32 tensor of a GPU is in
// the memory of the host.
device::Name memory_of(const device::Name& device, Type type);

// Sorts devices by TensorFlow's priority of their types, then by name as text, so GPU:10 comes before GPU:2.
std::vector<device::Name> by_priority(std::vector<device::Name> devices);

// A kernel that a device must have. Operations that must be on one device have several needs.
struct KernelNeed {
  std::string_view operation{};
  Type type = Type::float32;
};

struct Selection {
  device::Name device{};
  std::string why{};
};

// All devices that have the kernels and match every part of `wanted` that is set, the best one first.
std::vector<device::Name> devices_with_kernels(std::span<const KernelNeed> needs, const device::Name& wanted,
                                               const PlacementRules& rules);

// The best device that matches the request or, with soft placement, the best one of its task. None where
// TensorFlow throws an error.
std::optional<Selection> select_device(std::span<const KernelNeed> needs, const device::Name& requested,
                                       const PlacementRules& rules);

// Whether a tensor has at most 64 elements of int32 or int64. TensorFlow then considers a transfer to a GPU
// not worth its time.
bool is_small_integer(const TensorSpec& spec);

}  // namespace wt
