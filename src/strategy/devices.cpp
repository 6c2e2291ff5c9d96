#include "strategy/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "device/error.h"

namespace wt::strategy {

namespace {

using device::Context;
using device::LogicalDevice;
using device::Name;

std::vector<Name> logical(Context& context, device::Kind kind) {
  std::vector<Name> names;
  for (const LogicalDevice& device : context.list_logical_devices(kind)) names.push_back(device.name);
  return names;
}

std::vector<Name> resolved(const std::vector<GivenDevice>& given, const Context& context) {
  std::vector<Name> names;
  for (const GivenDevice& each : given) names.push_back(context.resolve(device::parse_name(each.name())));
  return names;
}

// All GPUs if there are any. Otherwise all CPUs for mirrored, and the first CPU for central storage.
std::vector<Name> own_choice(Kind kind, Context& context) {
  std::vector<Name> gpus = logical(context, device::Kind::gpu);
  if (!gpus.empty()) return gpus;
  std::vector<Name> cpus = logical(context, device::Kind::cpu);
  if (kind == Kind::central_storage) cpus.resize(1);
  return cpus;
}

}  // namespace

void require_different(const std::vector<Name>& names) {
  std::vector<std::string> texts;
  for (const Name& name : names) texts.push_back(fmt::format("'{}'", print(name)));
  if (std::set(texts.begin(), texts.end()).size() == names.size()) return;
  throw device::ValueError(
      fmt::format("No duplicates allowed in `devices` argument: ({})", fmt::join(texts, ", ")));
}

std::vector<GivenDevice> given(const std::vector<LogicalDevice>& devices) {
  return {devices.begin(), devices.end()};
}

std::vector<Name> worker_devices(const Choice& choice, Context& context) {
  if (choice.kind == Kind::default_strategy)
    throw device::RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.");
  if (choice.devices.empty()) {
    if (choice.kind == Kind::one_device)
      throw device::ValueError("`device` must be given to OneDeviceStrategy.");
    return own_choice(choice.kind, context);
  }
  std::vector<Name> names = resolved(choice.devices, context);
  if (choice.kind != Kind::central_storage) require_different(names);
  return names;
}

std::vector<Name> parameter_devices(const Choice& choice, Context& context) {
  if (choice.kind == Kind::default_strategy)
    throw device::RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.");
  std::vector<Name> workers = worker_devices(choice, context);
  if (choice.kind != Kind::central_storage) return workers;
  if (choice.parameter_device) return resolved({*choice.parameter_device}, context);
  if (workers.size() > 1) return {device::host_of(workers.front())};
  return workers;
}

LogicalDevice best_device(Context& context) {
  const std::vector<LogicalDevice> all = context.list_logical_devices();
  const auto gpu = std::ranges::find_if(
      all, [](const LogicalDevice& device) { return device.name.kind == device::Kind::gpu; });
  return gpu == all.end() ? all.front() : *gpu;
}

// TensorFlow compares the numbers of logical and physical GPUs, so that hidden GPUs don't count as cut.
Chosen choose_cross_device_ops(std::span<const Name> devices, Context& context) {
  const auto gpus = std::count_if(devices.begin(), devices.end(),
                                  [](const Name& name) { return name.kind == device::Kind::gpu; });
  if (gpus == 0) return {CrossDeviceOps::collective_ring, "all devices are CPUs"};
  if (gpus != std::ssize(devices))
    return {CrossDeviceOps::reduction_to_one_device, "there are CPUs and GPUs among the devices"};
  const auto physical = context.list_physical_devices(device::Kind::gpu).size();
  if (physical < context.list_logical_devices(device::Kind::gpu).size())
    return {CrossDeviceOps::collective_ring, "NCCL is not supported when using virtual GPUs"};
  return {CrossDeviceOps::collective_nccl, "all devices are whole GPUs"};
}

// TensorFlow 2.0 compares for equality, so that hidden GPUs count as cut.
Chosen select_cross_device_ops(std::span<const Name> devices, Context& context) {
  const auto is_gpu = [](const Name& name) { return name.kind == device::Kind::gpu; };
  constexpr auto one_device = CrossDeviceOps::reduction_to_one_device;
  if (context.list_physical_devices(device::Kind::gpu).size() !=
      context.list_logical_devices(device::Kind::gpu).size())
    return {one_device,
            "NCCL is not supported when using virtual GPUs, fallingback to reduction to one device"};
  if (!std::all_of(devices.begin(), devices.end(), is_gpu))
    return {one_device, "There is non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce."};
  return {CrossDeviceOps::nccl, ""};
}

}  // namespace wt::strategy
