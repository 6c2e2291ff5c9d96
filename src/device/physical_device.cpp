#include "device/physical_device.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/narrow.h"
#include "base/utf8.h"

namespace wt::device {
namespace {

// The first PCI slot that virtual machines in a cloud usually have for an accelerator.
constexpr int first_bus_slot = 4;

std::shared_ptr<const DeviceType> undescribed_cpu() {
  DeviceType type;
  type.id = "cpu";
  type.product = "CPU";
  type.kind = Kind::cpu;
  type.source = "not described: without a data sheet, nothing can be timed on it";
  return std::make_shared<const DeviceType>(std::move(type));
}

[[noreturn]] void refuse_visible(const std::string& text, std::size_t at, std::string_view entry,
                                 std::string_view fact, std::string_view remedy) {
  throw InputError(Problem{{.line = 1,
                            .column = narrow<int>(count_characters(text.substr(0, at))) + 1,
                            .source_line = text,
                            .length = narrow<int>(count_characters(entry))},
                           fmt::format("CUDA_VISIBLE_DEVICES: \"{}\" {}", printable(entry), fact),
                           std::string(remedy)});
}

std::string_view without_spaces(std::string_view entry) {
  while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
  while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
  return entry;
}

// The slots of the GPUs that CUDA shows. It shows them in the order of the list, up to the first index that
// no GPU has. The value "-1" therefore hides all GPUs.
std::vector<int> visible_slots(const std::string& text, int gpus) {
  std::vector<int> slots;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = without_spaces(std::string_view(text).substr(begin, end - begin));
    if (entry.empty()) break;
    int slot = 0;
    const auto [stop, error] = std::from_chars(entry.data(), entry.data() + entry.size(), slot);
    if (error == std::errc::invalid_argument || stop != entry.data() + entry.size()) {
      refuse_visible(text, begin, entry, "is not an index", "GPUs are counted from 0, as in \"0,2\"");
    }
    if (error != std::errc{} || slot < 0 || slot >= gpus) break;
    if (std::find(slots.begin(), slots.end(), slot) != slots.end()) {
      refuse_visible(text, begin, entry, "appears twice",
                     "list each GPU once: otherwise, CUDA shows no GPU at all");
    }
    slots.push_back(slot);
    begin = end + 1;
  }
  return slots;
}

std::vector<PhysicalDevice> of_kind(const std::vector<PhysicalDevice>& machine, Kind kind) {
  std::vector<PhysicalDevice> devices;
  for (const PhysicalDevice& device : machine) {
    if (device.kind != kind) continue;
    devices.push_back(device);
    devices.back().slot = narrow<int>(devices.size()) - 1;
  }
  return devices;
}

std::vector<PhysicalDevice> shown(const std::vector<PhysicalDevice>& gpus, const std::string& visible) {
  std::vector<PhysicalDevice> result;
  for (const int slot : visible_slots(visible, narrow<int>(gpus.size()))) {
    result.push_back(gpus[static_cast<std::size_t>(slot)]);
  }
  return result;
}

void append_numbered(std::vector<PhysicalDevice>& found, const std::vector<PhysicalDevice>& kind) {
  for (std::size_t i = 0; i < kind.size(); ++i) {
    found.push_back(kind[i]);
    found.back().index = narrow<int>(i);
  }
}

}  // namespace

std::vector<PhysicalDevice> devices_of(const DeviceType& type, int count) {
  const auto shared = std::make_shared<const DeviceType>(type);
  std::vector<PhysicalDevice> devices;
  for (int i = 0; i < count; ++i) {
    PhysicalDevice device;
    device.kind = type.kind;
    device.index = device.slot = i;
    device.type = shared;
    devices.push_back(std::move(device));
  }
  return devices;
}

std::vector<PhysicalDevice> found_devices(const std::vector<PhysicalDevice>& machine,
                                          const std::optional<std::string>& cuda_visible_devices) {
  for (const PhysicalDevice& device : machine) {
    WT_EXPECT(device.type != nullptr && device.type->kind == device.kind, "{} has a type", name(device));
  }
  std::vector<PhysicalDevice> cpus = of_kind(machine, Kind::cpu);
  if (cpus.size() > 1) {
    throw InputError(
        fmt::format("{} CPUs are described for one process, which sees all sockets as one device",
                    cpus.size()),
        "describe one, and configure logical devices for it");
  }
  if (cpus.empty()) cpus.push_back({.kind = Kind::cpu, .type = undescribed_cpu()});
  std::vector<PhysicalDevice> gpus = of_kind(machine, Kind::gpu);
  for (PhysicalDevice& gpu : gpus) {
    if (gpu.pci_bus_id.empty()) gpu.pci_bus_id = fmt::format("0000:00:{:02x}.0", first_bus_slot + gpu.slot);
  }
  if (cuda_visible_devices) gpus = shown(gpus, *cuda_visible_devices);
  std::vector<PhysicalDevice> found;
  append_numbered(found, cpus);
  append_numbered(found, gpus);
  append_numbered(found, of_kind(machine, Kind::tpu));
  return found;
}

Bytes free_memory(const PhysicalDevice& device) {
  return std::max(Bytes{}, device.type->memory - device.type->reserve.context - device.taken);
}

std::string name(const PhysicalDevice& device) {
  return fmt::format("/physical_device:{}:{}", name(device.kind), device.index);
}

std::string repr(const PhysicalDevice& device) {
  return fmt::format("PhysicalDevice(name='{}', device_type='{}')", name(device), name(device.kind));
}

std::string describe(const PhysicalDevice& device) {
  std::string text = fmt::format("device: {}, name: {}, pci bus id: {}", device.index, device.type->product,
                                 device.pci_bus_id);
  const auto& capability = device.type->compute_capability;
  if (capability) text += fmt::format(", compute capability: {}.{}", capability->major, capability->minor);
  return text;
}

}  // namespace wt::device
