#include "device/logical_device.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/narrow.h"
#include "device/error.h"
#include "device/limits.h"

namespace wt::device {
namespace {

constexpr int volta = 7;

const LogicalDeviceConfigurations* pieces_of(const DeviceRequest& request, const PhysicalDevice& device) {
  const auto found = std::find_if(request.cut.begin(), request.cut.end(),
                                  [&](const auto& entry) { return entry.first == device; });
  return found == request.cut.end() ? nullptr : &found->second;
}

std::vector<PhysicalDevice> visible(const DeviceRequest& request, Kind kind) {
  std::vector<PhysicalDevice> devices;
  for (const PhysicalDevice& device : request.visible) {
    if (device.kind == kind) devices.push_back(device);
  }
  return devices;
}

Name logical_name(const DeviceRequest& request, Kind kind, int index) {
  return canonical({.kind = kind, .index = index}, request.task);
}

std::vector<LogicalDevice> create_cpus(const DeviceRequest& request) {
  std::vector<LogicalDevice> cpus;
  for (const PhysicalDevice& cpu : visible(request, Kind::cpu)) {
    const LogicalDeviceConfigurations* pieces = pieces_of(request, cpu);
    for (std::size_t i = 0; i < (pieces == nullptr ? 1 : pieces->size()); ++i) {
      const auto index = narrow<int>(cpus.size());
      cpus.push_back({.name = logical_name(request, Kind::cpu, index), .physical = cpu});
    }
  }
  if (cpus.empty()) throw OpError("No CPU devices are available in this process");
  return cpus;
}

// The following functions correspond to BaseGPUDeviceFactory::CreateDevices in gpu_device.cc of
// tensorflow/core.

// A visible GPU and the configurations of its logical devices. Without any, it becomes one logical device
// with the default limit.
struct CutGpu {
  PhysicalDevice gpu{};
  LogicalDeviceConfigurations pieces{};
};

struct PriorityRange {
  int least = 0;
  int greatest = 0;  // numerically the smallest
};

// The results that are commonly reported for CUDA's cudaDeviceGetStreamPriorityRange.
PriorityRange priorities_of(const PhysicalDevice& gpu) {
  const auto& capability = gpu.type->compute_capability;
  return {.least = 0, .greatest = capability && capability->major >= volta ? -5 : -1};
}

bool has_ordinals(const CutGpu& cut) {
  return !cut.pieces.empty() && cut.pieces[0].experimental_device_ordinal.has_value();
}
std::size_t priorities_in(const CutGpu& cut) {
  return static_cast<std::size_t>(std::count_if(cut.pieces.begin(), cut.pieces.end(), [](const auto& piece) {
    return piece.experimental_priority.has_value();
  }));
}

void check_ordinals(const std::vector<CutGpu>& gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (has_ordinals(gpus[i]) == has_ordinals(gpus[0])) continue;
    throw OpError(
        fmt::format("Device ordinals must be set for all virtual devices or none. But the device_ordinal is "
                    "specified for {} while previous devices didn't have any set.",
                    i));
  }
}

void check_priority_range(const CutGpu& cut, std::size_t i) {
  const auto [least, greatest] = priorities_of(cut.gpu);
  for (const LogicalDeviceConfiguration& piece : cut.pieces) {
    const int priority = piece.experimental_priority.value_or(least);
    if (priority <= least && priority >= greatest) continue;
    throw OpError(fmt::format(
        "Priority {} is outside the range of supported priorities [{},{}] for virtual device {} on GPU# {}",
        priority, greatest, least, i, cut.gpu.index));
  }
}

void check_priorities(const std::vector<CutGpu>& gpus) {
  const bool expected = priorities_in(gpus[0]) > 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::size_t given = priorities_in(gpus[i]);
    if (!expected && given > 0) {
      throw OpError(fmt::format(
          "Priority must be set for all virtual devices or none. But the priority is specified for {} "
          "while previous devices didn't have any set.",
          i));
    }
    if (expected && given != gpus[i].pieces.size()) {
      throw OpError(fmt::format(
          "Number of virtual device priorities specified doesn't match with number of memory_limit_mb "
          "specified for GPU# {} memory_limit_mb size: {} and priority size: {}",
          i, gpus[i].pieces.size(), given));
    }
    check_priority_range(gpus[i], i);
  }
}

// If any device of the process is split into logical devices, TensorFlow applies these checks to all visible
// GPUs.
void check_cuts(const std::vector<CutGpu>& gpus, std::size_t wanted, const Environment& environment) {
  if (environment.per_process_gpu_memory_fraction > 0) {
    throw OpError("It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.");
  }
  if (wanted < gpus.size()) {
    throw OpError(
        fmt::format("Not enough GPUs to create virtual devices. num_gpus_to_use: {} #virtual_devices: {}",
                    wanted, gpus.size()));
  }
  check_ordinals(gpus);
  check_priorities(gpus);
}

struct Piece {
  PhysicalDevice gpu{};
  std::optional<Bytes> limit{};  // nothing for the default limit
  int ordinal = 0;
};

// The logical devices in the order of their indices.
std::vector<Piece> pieces_in_order(const std::vector<CutGpu>& gpus) {
  std::vector<Piece> pieces;
  for (const CutGpu& cut : gpus) {
    if (cut.pieces.empty()) pieces.push_back({.gpu = cut.gpu});
    for (const LogicalDeviceConfiguration& piece : cut.pieces) {
      pieces.push_back({cut.gpu, piece.memory_limit, piece.experimental_device_ordinal.value_or(0)});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& left, const Piece& right) { return left.ordinal < right.ordinal; });
  return pieces;
}

bool growth(const DeviceRequest& request, std::vector<std::string>& log) {
  const std::optional<bool> forced = request.environment.force_gpu_allow_growth;
  if (forced && *forced != request.allow_growth) {
    log.push_back(fmt::format(
        "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH environment variable is "
        "set. Original config value was {}.",
        request.allow_growth ? 1 : 0));
  }
  return forced.value_or(request.allow_growth);
}

LogicalDevice create_gpu(const DeviceRequest& request, const Piece& piece, int index,
                         std::vector<std::string>& log) {
  DefaultLimit limit{.limit = piece.limit.value_or(Bytes{})};
  if (!piece.limit) limit = default_limit(piece.gpu, request.environment);
  log.insert(log.end(), limit.warnings.begin(), limit.warnings.end());
  LogicalDevice device{.name = logical_name(request, Kind::gpu, index), .physical = piece.gpu};
  device.memory = MemoryOptions{.allocator = fmt::format("GPU_{}_bfc", index),
                                .limit = limit.limit,
                                .growth = growth(request, log),
                                .garbage_collection = request.environment.gpu_garbage_collection};
  const bool unified = request.environment.per_process_gpu_memory_fraction > 1;
  if (limit.limit > free_memory(piece.gpu) && !unified) device.memory->obtainable = free_memory(piece.gpu);
  log.push_back(fmt::format("Created device {} with {} MB memory:  -> {}", print(device.name),
                            limit.limit.count() >> 20, describe(piece.gpu)));
  return device;
}

std::vector<LogicalDevice> create_gpus(const DeviceRequest& request, std::vector<std::string>& log) {
  std::vector<CutGpu> gpus;
  std::size_t wanted = 0;
  std::vector<int> priorities;
  for (const PhysicalDevice& gpu : visible(request, Kind::gpu)) {
    const LogicalDeviceConfigurations* pieces = pieces_of(request, gpu);
    wanted += pieces == nullptr ? 1 : pieces->size();
    gpus.push_back({gpu, pieces == nullptr ? LogicalDeviceConfigurations{} : *pieces});
    for (const LogicalDeviceConfiguration& piece : gpus.back().pieces) {
      if (piece.experimental_priority) priorities.push_back(*piece.experimental_priority);
    }
  }
  if (!gpus.empty() && !request.cut.empty()) check_cuts(gpus, wanted, request.environment);
  std::vector<LogicalDevice> devices;
  for (const Piece& piece : pieces_in_order(gpus)) {
    const std::size_t i = devices.size();
    devices.push_back(create_gpu(request, piece, narrow<int>(i), log));
    // Like TensorFlow's GetPriority, this assigns the priorities in the order of the lists to the logical
    // indices, even if ordinals change the order of the devices.
    if (i < priorities.size()) devices.back().priority = priorities[i];
  }
  return devices;
}

std::vector<LogicalDevice> create_tpus(const DeviceRequest& request) {
  std::vector<LogicalDevice> tpus;
  for (const PhysicalDevice& tpu : visible(request, Kind::tpu)) {
    const auto index = narrow<int>(tpus.size());
    tpus.push_back({.name = logical_name(request, Kind::tpu, index), .physical = tpu});
    tpus.back().memory = MemoryOptions{
        .allocator = fmt::format("TPU_{}", index), .limit = free_memory(tpu), .rounds_activations = true};
  }
  return tpus;
}

}  // namespace

CreatedDevices create_devices(const DeviceRequest& request) {
  CreatedDevices created{.devices = create_cpus(request)};
  for (const auto& others : {create_gpus(request, created.log), create_tpus(request)}) {
    created.devices.insert(created.devices.end(), others.begin(), others.end());
  }
  return created;
}

std::string short_name(const LogicalDevice& device) {
  if (device.name.job != "localhost") return print(device.name);
  return print(Name{.kind = device.name.kind, .index = device.name.index});
}

std::string repr(const LogicalDevice& device) {
  return fmt::format("LogicalDevice(name='{}', device_type='{}')", short_name(device),
                     name(*device.name.kind));
}

}  // namespace wt::device
