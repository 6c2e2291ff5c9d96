#pragma once
// Which device an operation runs on, as TensorFlow's eager runtime decides it, and what must be copied there.
// Pure functions: devices, kernels and rules come in, a device and a reason or TensorFlow's refusal comes
// out. A whole step is placed by program/step_placement.h.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/name.h"
#include "kernel/operation_name.h"

namespace wt {

// tf.errors.InvalidArgumentError and NotFoundError. what() is TensorFlow's own text and nothing else.
class InvalidArgumentError : public InputError {
 public:
  explicit InvalidArgumentError(std::string text) : InputError(std::move(text)) {}
};
class NotFoundError : public InputError {
 public:
  explicit NotFoundError(std::string text) : InputError(std::move(text)) {}
};

// What happens to an input that lies on another device (tf.config.experimental.set_device_policy).
enum class DevicePolicy : std::uint8_t { silent, silent_for_int32, warn, refuse };
std::string_view name(DevicePolicy policy);  // TensorFlow's word; refuse is "explicit"
std::optional<DevicePolicy> device_policy_named(std::string_view name);

struct PlacementRules {
  std::vector<device::Name> devices{};  // full names
  device::Name task{.job = "localhost", .replica = 0, .task = 0};
  bool soft_placement = true;
  DevicePolicy policy = DevicePolicy::silent;
  // Off in TensorFlow 2.x; TF_EAGER_ENABLE_SMALL_TENSOR_CPU_PINNING=1 turns it on (eager/context.cc).
  bool small_integers_on_cpu = false;
  std::span<const OperationKernels> kernels = operation_kernels();
};

struct PlacedInput {
  TensorSpec spec{};
  device::Name device{};  // where the operation ran that made it
  bool is_resource = false;
};

struct OperationRequest {
  std::string_view operation{};  // TensorFlow's name
  Type type = Type::float32;     // by which its kernel is looked up
  device::Name requested{};      // tf.device's; nothing given: free
  std::vector<PlacedInput> inputs{};
};

// An input that lies in another device's memory than the kernel reads.
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
  std::vector<std::string> warnings{};  // of the policy `warn`, one per copy
};

// In this order: a resource input's device, "regardless of anything else that has been specified"
// (eager/placement_utils.h); the device that is asked for; small integers to the CPU, if the rules say so;
// the best device that has a kernel. Throws InvalidArgumentError or NotFoundError with TensorFlow's text.
Placement place(const OperationRequest& request, const PlacementRules& rules);

// Where a tensor's numbers lie: int32 stays in the host's memory when a GPU makes it or reads it.
device::Name memory_of(const device::Name& device, Type type);

// By TensorFlow's priority of their types, then by name as text: GPU:10 comes before GPU:2.
std::vector<device::Name> by_priority(std::vector<device::Name> devices);

// A kernel that the device must have; several where operations must share one.
struct KernelNeed {
  std::string_view operation{};
  Type type = Type::float32;
};

struct Selection {
  device::Name device{};
  std::string why{};
};

// All devices that have the kernels and agree with every part of `wanted` that is given, the best one first.
std::vector<device::Name> devices_with_kernels(std::span<const KernelNeed> needs, const device::Name& wanted,
                                               const PlacementRules& rules);

// The best device that is asked for, or with soft placement the best of its task. Nothing: TensorFlow
// refuses.
std::optional<Selection> select_device(std::span<const KernelNeed> needs, const device::Name& requested,
                                       const PlacementRules& rules);

// At most 64 elements of int32 or int64: it isn't worth a transfer.
bool is_small_integer(const TensorSpec& spec);

}  // namespace wt
