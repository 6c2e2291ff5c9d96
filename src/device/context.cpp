#include "device/context.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "device/error.h"

namespace wt::device {
namespace {

template <class Device>
std::vector<Device> only(std::optional<Kind> kind, const std::vector<Device>& devices, auto kind_of) {
  std::vector<Device> result;
  for (const Device& device : devices) {
    if (!kind || kind_of(device) == *kind) result.push_back(device);
  }
  return result;
}

std::vector<PhysicalDevice> only(std::optional<Kind> kind, const std::vector<PhysicalDevice>& devices) {
  return only(kind, devices, [](const PhysicalDevice& device) { return device.kind; });
}

bool is_before(const PhysicalDevice& left, const PhysicalDevice& right) {
  return std::pair(left.kind, left.index) < std::pair(right.kind, right.index);
}

void check_pieces_of_cpu(const LogicalDeviceConfigurations& pieces) {
  for (const LogicalDeviceConfiguration& piece : pieces) {
    if (piece.memory_limit) {
      throw ValueError("Setting memory limit on CPU virtual devices is currently not supported");
    }
    if (piece.experimental_priority) {  // TensorFlow's text has two spaces, too
      throw ValueError("Setting experimental_priority on CPU virtual  devices is currently not supported");
    }
    if (piece.experimental_device_ordinal) {
      throw ValueError(
          "Setting experimental_device_ordinal on CPU virtual  devices is currently not supported");
    }
  }
}

void check_pieces_of_gpu(const LogicalDeviceConfigurations& pieces) {
  for (const LogicalDeviceConfiguration& piece : pieces) {
    if (!piece.memory_limit) throw ValueError("Setting memory limit is required for GPU virtual devices");
  }
}

constexpr Bytes largest_limit = Bytes(std::int64_t{1} << 50);  // so that sums of limits don't overflow
constexpr std::size_t terms_shown = 8;

// Memory limits are configured in MiB, so messages print the terms of their sum in MiB.
std::string in_mebibytes(Bytes size) {
  const double count = static_cast<double>(size.count()) / 0x1p20;
  return count == std::floor(count) ? fmt::format("{:.0f} MiB", count) : fmt::format("{:.3f} MiB", count);
}

void check_limit(const PhysicalDevice& gpu, Bytes limit) {
  if (limit > Bytes{} && limit <= largest_limit) return;
  throw InputError(fmt::format("A logical device of {} has a memory limit of {}", name(gpu), limit),
                   fmt::format("a limit is more than 0 B and at most {}", largest_limit));
}

// Checks that the limits fit into the memory of the GPU. TensorFlow accepts any limits, and its driver fails
// when the first tensor is created.
void check_room(const PhysicalDevice& gpu, const LogicalDeviceConfigurations& pieces) {
  Bytes sum{};
  std::vector<std::string> terms;
  for (const LogicalDeviceConfiguration& piece : pieces) {
    check_limit(gpu, *piece.memory_limit);
    if (terms.size() < terms_shown) terms.push_back(in_mebibytes(*piece.memory_limit));
    sum += *piece.memory_limit;
  }
  const Bytes free = free_memory(gpu);
  if (sum <= free) return;
  const std::size_t more = pieces.size() - terms.size();
  if (more > 0) terms.push_back(fmt::format("{} more", more));
  if (pieces.size() > 1) terms = {fmt::format("{} = {}", fmt::join(terms, " + "), in_mebibytes(sum))};
  const std::string others =
      gpu.taken > Bytes{} ? fmt::format(" - {} of other processes", in_mebibytes(gpu.taken)) : "";
  throw InputError(fmt::format("The logical devices of {} need {}; {} has {} - {} of the driver{} = {}",
                               name(gpu), terms[0], gpu.type->product, in_mebibytes(gpu.type->memory),
                               in_mebibytes(gpu.type->reserve.context), others, in_mebibytes(free)),
                   "lower the limits or configure fewer logical devices");
}

// Checks that priorities and ordinals are set for all logical devices of a GPU or for none. Like TensorFlow,
// this happens during initialisation but before create_devices.
void check_all_or_none(const LogicalDeviceConfigurations& pieces) {
  const auto given = [&](auto member) {
    return std::count_if(pieces.begin(), pieces.end(), [&](const LogicalDeviceConfiguration& piece) {
      return (piece.*member).has_value();
    });
  };
  const auto all = static_cast<std::ptrdiff_t>(pieces.size());
  const auto priorities = given(&LogicalDeviceConfiguration::experimental_priority);
  const auto ordinals = given(&LogicalDeviceConfiguration::experimental_device_ordinal);
  if (priorities > 0 && priorities != all) {
    throw ValueError("priority must be specified for all virtual devices");
  }
  if (ordinals > 0 && ordinals != all) {
    throw ValueError("device_ordinals must be specified for all virtual devices");
  }
}

}  // namespace

Context::Context(const std::vector<PhysicalDevice>& machine, Environment environment, const Name& task)
    : environment_(std::move(environment)),
      task_(canonical(task)),
      physical_(found_devices(machine, environment_.cuda_visible_devices)),
      settings_(physical_.size()),
      visible_(physical_) {
  task_.kind.reset();
  task_.index.reset();
}

Context::Context(std::vector<LogicalDevice> devices, const Name& task)
    : task_(canonical(task)), initialised_(true) {
  task_.kind.reset();
  task_.index.reset();
  created_.devices = std::move(devices);
}

std::vector<PhysicalDevice> Context::list_physical_devices(std::optional<Kind> kind) const {
  return only(kind, physical_);
}

std::vector<LogicalDevice> Context::list_logical_devices(std::optional<Kind> kind) {
  initialise();
  return only(kind, created_.devices, [](const LogicalDevice& device) { return *device.name.kind; });
}

std::vector<PhysicalDevice> Context::get_visible_devices(std::optional<Kind> kind) const {
  return only(kind, visible_);
}

void Context::set_visible_devices(const std::vector<PhysicalDevice>& devices, std::optional<Kind> kind) {
  for (const PhysicalDevice& device : devices) {
    position_of(device);  // which throws if the machine has no such device
    if (kind && device.kind != *kind) throw ValueError("Unrecognized device: " + repr(device));
  }
  std::vector<PhysicalDevice> visible;
  for (const PhysicalDevice& device : visible_) {
    if (kind && device.kind != *kind) visible.push_back(device);
  }
  for (const PhysicalDevice& device : devices) visible.push_back(physical_[position_of(device)]);
  if (visible == visible_) return;
  if (initialised_) throw RuntimeError("Visible devices cannot be modified after being initialized");
  visible_ = std::move(visible);
}

void Context::set_visible_devices(const PhysicalDevice& device, std::optional<Kind> kind) {
  set_visible_devices(std::vector{device}, kind);
}

std::optional<bool> Context::get_memory_growth(const PhysicalDevice& device) const {
  return settings(device).growth;
}

void Context::set_memory_growth(const PhysicalDevice& device, bool enable) {
  Settings& current = settings(device);
  if (current.pieces) throw ValueError("Cannot set memory growth on device when virtual devices configured");
  if (device.kind != Kind::gpu) {
    throw ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices");
  }
  if (current.growth == enable) return;
  if (initialised_) throw RuntimeError("Physical devices cannot be modified after being initialized");
  current.growth = enable;
}

std::optional<LogicalDeviceConfigurations> Context::get_logical_device_configuration(
    const PhysicalDevice& device) const {
  return settings(device).pieces;
}

void Context::set_logical_device_configuration(const PhysicalDevice& device,
                                               LogicalDeviceConfigurations pieces) {
  Settings& current = settings(device);
  if (device.kind == Kind::tpu) throw ValueError("Virtual devices are not supported for TPU");
  if (device.kind == Kind::cpu) {
    check_pieces_of_cpu(pieces);
  } else {
    check_pieces_of_gpu(pieces);
  }
  if (current.pieces == pieces) return;
  if (initialised_) throw RuntimeError("Virtual devices cannot be modified after being initialized");
  if (device.kind == Kind::gpu) {
    check_room(physical_[position_of(device)], pieces);
  }
  current.pieces = std::move(pieces);
}

void Context::initialise() {
  if (initialised_) return;
  created_ = create_devices(request());
  initialised_ = true;
}

const LogicalDevice* Context::find(const Name& name) {
  initialise();
  const Name full = resolve(name);
  const std::vector<LogicalDevice>& devices = created_.devices;
  const auto key = [](const Name& each) { return std::pair(each.kind, each.index); };
  // create_devices has them in this order.
  const auto likely = std::ranges::lower_bound(devices, key(full), {},
                                               [&](const LogicalDevice& device) { return key(device.name); });
  if (likely != devices.end() && likely->name == full) return &*likely;
  const auto found = std::ranges::find(devices, full, &LogicalDevice::name);
  return found == devices.end() ? nullptr : &*found;
}

// As found_devices orders them. A machine may be described with 65,536 devices.
std::size_t Context::position_of(const PhysicalDevice& device) const {
  const auto found = std::lower_bound(physical_.begin(), physical_.end(), device, is_before);
  if (found == physical_.end() || *found != device) throw ValueError("Unrecognized device: " + repr(device));
  return static_cast<std::size_t>(found - physical_.begin());
}

const Context::Settings& Context::settings(const PhysicalDevice& device) const {
  return settings_[position_of(device)];
}

Context::Settings& Context::settings(const PhysicalDevice& device) {
  return const_cast<Settings&>(std::as_const(*this).settings(device));
}

// Memory growth is one flag for all GPUs. It is dropped if any device is split into logical devices, even if
// that is the CPU (_compute_gpu_options in tensorflow/python/eager/context.py).
bool Context::growth_of_visible_gpus(bool any_cut) const {
  std::set<std::optional<bool>> growths;
  for (const PhysicalDevice& gpu : only(Kind::gpu, visible_)) growths.insert(settings(gpu).growth);
  if (any_cut || growths.empty()) return false;
  if (growths.size() > 1) throw ValueError("Memory growth cannot differ between GPU devices");
  return growths.begin()->value_or(false);
}

// The input of create_devices. Devices are created by index, so the order of the visible list has no effect.
DeviceRequest Context::request() const {
  DeviceRequest request{.task = task_, .environment = environment_};
  const std::set<PhysicalDevice, decltype(&is_before)> visible(visible_.begin(), visible_.end(), is_before);
  for (const PhysicalDevice& device : physical_) {
    const Settings& current = settings(device);
    const bool is_visible = visible.contains(device);
    if (is_visible) request.visible.push_back(device);
    if (!current.pieces) continue;
    if (is_visible && device.kind == Kind::gpu) check_all_or_none(*current.pieces);
    request.cut.emplace_back(device, *current.pieces);
  }
  request.allow_growth = growth_of_visible_gpus(!request.cut.empty());
  return request;
}

}  // namespace wt::device
