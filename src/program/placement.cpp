#include "program/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace wt {

namespace {

using device::Kind;
using device::Name;

// In the order of the priorities with which TensorFlow registers its device factories: GPU 210, CPU 60 or 70.
// A TPU has the default priority 50, so an operation runs on a TPU only where that is requested.
constexpr std::array<Kind, 3> priority{Kind::gpu, Kind::cpu, Kind::tpu};

constexpr std::array<std::string_view, 4> policies{"silent", "silent_for_int32", "warn", "explicit"};

// Operations that generate data. They are not kept on the CPU, since the data is better generated on the
// device that needs it (eager/placement_utils.cc).
constexpr std::array<std::string_view, 7> unpinnable{
    "RandomUniform",          "RandomUniformInt",          "RandomStandardNormal",
    "StatelessRandomUniform", "StatelessRandomUniformInt", "StatelessRandomUniformFullInt",
    "StatelessRandomNormal"};

// Operations whose inputs may be copied under the explicit policy: a constant begins on the host, and
// Identity serves to copy.
constexpr std::array<std::string_view, 3> copiers{"Identity", "IdentityN", "_EagerConst"};

template <class Range, class Element>
bool contains(const Range& range, const Element& element) {
  return std::find(range.begin(), range.end(), element) != range.end();
}

template <class Part>
bool agree(const std::optional<Part>& wanted, const std::optional<Part>& given) {
  return !wanted || wanted == given;
}

bool agrees(const Name& wanted, const Name& given) {
  return agree(wanted.job, given.job) && agree(wanted.replica, given.replica) &&
         agree(wanted.task, given.task) && agree(wanted.kind, given.kind) && agree(wanted.index, given.index);
}

bool is_there(const Name& wanted, const PlacementRules& rules) {
  return std::any_of(rules.devices.begin(), rules.devices.end(),
                     [&](const Name& device) { return agrees(wanted, device); });
}

// The types of devices that exist and have a kernel, the best one first.
std::vector<Kind> supported_kinds(std::string_view operation, Type type, const PlacementRules& rules) {
  const OperationKernels* row = find_operation(rules.kernels, operation);
  std::vector<Kind> kinds;
  for (const Kind kind : priority) {
    if (is_there({.kind = kind}, rules) && row != nullptr && has_kernel(*row, kind, type))
      kinds.push_back(kind);
  }
  return kinds;
}

std::string list(const std::vector<Name>& devices) {
  std::vector<std::string> names;
  for (const Name& device : devices) names.push_back(print(device));
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_without_kernel(const OperationRequest& request, const PlacementRules& rules) {
  const OperationKernels* row = find_operation(rules.kernels, request.operation);
  throw NotFoundError(
      fmt::format("Could not find device for node: {{{{node {0}}}}} = {0}[{1}={2}]\nAll kernels registered "
                  "for op {0}:\n{3}",
                  request.operation, row == nullptr ? "T" : row->attribute, type_enumerator(request.type),
                  print_kernels(rules.kernels, request.operation)));
}

[[noreturn]] void refuse_device(const Name& wanted, const std::vector<Kind>& kinds,
                                const PlacementRules& rules) {
  std::vector<std::string_view> words;
  for (const Kind kind : kinds) words.push_back(name(kind));
  throw InvalidArgumentError(fmt::format(
      "Could not satisfy device specification '{}'. enable_soft_placement={}. Supported device types "
      "[{}]. All available devices [{}].",
      print(wanted), rules.soft_placement ? 1 : 0, fmt::join(words, ", "), list(by_priority(rules.devices))));
}

Selection select(const OperationRequest& request, const PlacementRules& rules) {
  const std::vector<Kind> kinds = supported_kinds(request.operation, request.type, rules);
  if (kinds.empty()) refuse_without_kernel(request, rules);
  const KernelNeed need{request.operation, request.type};
  const auto selection = select_device({&need, 1}, request.requested, rules);
  if (!selection) refuse_device(request.requested == Name{} ? rules.task : request.requested, kinds, rules);
  return *selection;
}

bool stays_on_cpu(const OperationRequest& request, const PlacementRules& rules) {
  if (!rules.small_integers_on_cpu || request.inputs.empty() || contains(unpinnable, request.operation))
    return false;
  const Name host = host_of(rules.task);
  return std::all_of(request.inputs.begin(), request.inputs.end(), [&](const PlacedInput& input) {
    return input.device == host && is_small_integer(input.spec);
  });
}

Selection choose(const OperationRequest& request, const PlacementRules& rules) {
  for (const PlacedInput& input : request.inputs)
    if (input.is_resource) return {input.device, "its resource is on this device"};
  if (request.requested == Name{} && stays_on_cpu(request, rules))
    return {host_of(rules.task), "small integers stay on the CPU"};
  return select(request, rules);
}

void check_copy(const OperationRequest& request, const InputCopy& copy, const PlacementRules& rules,
                Placement& placement) {
  const std::string conflict =
      fmt::format("input #{} was expected to be on {} but is actually on {} (operation running on {})",
                  copy.input, print(copy.to), print(copy.from), print(placement.device));
  if (rules.policy == DevicePolicy::silent) return;
  if (rules.policy == DevicePolicy::warn) {
    placement.warnings.push_back(
        fmt::format("before computing {} {}. This triggers a copy which can be a performance bottleneck.",
                    request.operation, conflict));
    return;
  }
  const bool is_int32 = request.inputs[copy.input].spec.type == Type::int32;
  if (rules.policy == DevicePolicy::silent_for_int32 && is_int32) return;
  if (contains(copiers, request.operation)) return;
  throw InvalidArgumentError(fmt::format(
      "Tensors on conflicting devices: cannot compute {} as {} Tensors can be copied explicitly using: "
      "`with tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
      "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices may slow "
      "down your model",
      request.operation, conflict));
}

}  // namespace

std::string_view name(DevicePolicy policy) { return policies[static_cast<std::size_t>(policy)]; }

std::optional<DevicePolicy> device_policy_named(std::string_view name) {
  const auto found = std::find(policies.begin(), policies.end(), name);
  if (found == policies.end()) return std::nullopt;
  return static_cast<DevicePolicy>(found - policies.begin());
}

device::Name memory_of(const Name& device, Type type) {
  return device.kind == Kind::gpu && type == Type::int32 ? host_of(device) : device;
}

bool is_small_integer(const TensorSpec& spec) {
  constexpr std::int64_t most = 64;
  return (spec.type == Type::int32 || spec.type == Type::int64) && spec.elements() <= most;
}

std::vector<Name> by_priority(std::vector<Name> devices) {
  const auto rank = [](const Name& device) {
    return std::find(priority.begin(), priority.end(), device.kind.value_or(Kind::cpu)) - priority.begin();
  };
  std::stable_sort(devices.begin(), devices.end(), [&](const Name& left, const Name& right) {
    return rank(left) != rank(right) ? rank(left) < rank(right) : print(left) < print(right);
  });
  return devices;
}

std::vector<Name> devices_with_kernels(std::span<const KernelNeed> needs, const Name& wanted,
                                       const PlacementRules& rules) {
  std::vector<Name> found;
  for (const Name& device : by_priority(rules.devices)) {
    const bool has_all = std::all_of(needs.begin(), needs.end(), [&](const KernelNeed& need) {
      const OperationKernels* row = find_operation(rules.kernels, need.operation);
      return row != nullptr && has_kernel(*row, device.kind.value_or(Kind::cpu), need.type);
    });
    if (has_all && agrees(wanted, device)) found.push_back(device);
  }
  return found;
}

std::optional<Selection> select_device(std::span<const KernelNeed> needs, const Name& requested,
                                       const PlacementRules& rules) {
  const bool is_free = requested == Name{};
  const Name wanted = is_free ? rules.task : requested;
  const auto found = devices_with_kernels(needs, wanted, rules);
  if (!found.empty()) return Selection{found[0], is_free ? "best device with a kernel" : "requested"};

  const auto other =
      devices_with_kernels(needs, {.job = wanted.job, .replica = wanted.replica, .task = wanted.task}, rules);
  if (!rules.soft_placement || other.empty()) return std::nullopt;
  return Selection{other[0], is_there(wanted, rules) ? "soft placement: the requested device has no kernel"
                                                     : "soft placement: the requested device does not exist"};
}

Placement place(const OperationRequest& request, const PlacementRules& rules) {
  const Selection choice = choose(request, rules);
  Placement placement{choice.device, choice.why, {}, {}};
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const PlacedInput& input = request.inputs[i];
    if (input.is_resource) continue;  // a handle has no numbers to copy
    const InputCopy copy{i, memory_of(input.device, input.spec.type),
                         memory_of(choice.device, input.spec.type)};
    if (copy.from == copy.to) continue;
    check_copy(request, copy, rules, placement);
    placement.copies.push_back(copy);
  }
  return placement;
}

}  // namespace wt
