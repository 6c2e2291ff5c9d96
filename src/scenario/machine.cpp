#include "scenario/machine.h"

#include <algorithm>
#include <memory>

#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/load.h"

namespace wt::scenario {

namespace {

using device::Kind;
using device::LogicalDevice;
using device::PhysicalDevice;

// The first machine's devices, and its host's CPU.
std::vector<PhysicalDevice> devices_of_first_machine(const platform::Platform& platform) {
  std::map<const device::DeviceType*, std::shared_ptr<const device::DeviceType>> types;
  std::vector<PhysicalDevice> devices;
  const auto add = [&](platform::Endpoint endpoint) {
    if (platform.machine_of(endpoint) != 0) return;
    const device::DeviceType& type = platform.type(endpoint);
    auto& shared = types[&type];
    if (!shared) shared = std::make_shared<const device::DeviceType>(type);
    devices.push_back({.kind = type.kind, .type = shared});
  };
  for (std::int32_t i = 0; i < platform.devices(); ++i) add(platform.device(i));
  const bool has_cpu = std::any_of(devices.begin(), devices.end(),
                                   [](const PhysicalDevice& device) { return device.kind == Kind::cpu; });
  if (!has_cpu) add(platform.host(0));
  return devices;
}

class MachineBuilder {
 public:
  explicit MachineBuilder(const Scenario& scenario) : scenario_(scenario) {}

  Machine build() {
    Machine machine;
    if (const auto& written = scenario_.platform.written) {
      platform::Loaded loaded = platform::from_json(*written, scenario_.platform.folder);
      machine.platform = std::move(loaded.platform);
      machine.warnings = std::move(loaded.warnings);
    }
    machine.context = device::Context(machine.platform ? devices_of_first_machine(*machine.platform)
                                                       : std::vector<PhysicalDevice>{});
    show(machine.context);
    cut(machine.context);
    problems_.throw_if_any();
    at("devices", "mend what \"devices\" says of it", [&] { machine.context.initialise(); });
    problems_.throw_if_any();
    machine.device = chosen(machine.context);
    if (machine.device.name.kind == Kind::cpu && !machine.context.list_logical_devices(Kind::tpu).empty())
      machine.warnings.push_back({scenario_.place("strategy"),
                                  "without tpu strategy TensorFlow runs on the CPU and leaves TPUs alone",
                                  R"(one of them: "strategy": {"type": "one_device", "device": "/TPU:0"})"});
    problems_.throw_if_any();
    return machine;
  }

 private:
  // What the runtime refuses is told at the key that asked for it; its own words have no remedy.
  template <class Call>
  void at(std::string_view key, std::string_view remedy, Call call) {
    try {
      call();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(scenario_.place(key), problem.fact,
                      problem.remedy.empty() ? std::string(remedy) : problem.remedy);
    }
  }

  // The physical device that a file calls "GPU:0".
  std::optional<PhysicalDevice> physical(const device::Context& context, const std::string& name,
                                         std::string_view key) {
    std::vector<std::string> known;
    for (const PhysicalDevice& device : context.list_physical_devices()) {
      known.push_back(fmt::format("{}:{}", device::name(device.kind), device.index));
      if (known.back() == name) return device;
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    problems_.add(scenario_.place(key), fmt::format("there is no physical device \"{}\"", printable(name)),
                  did_you_mean(name, names));
    return std::nullopt;
  }

  // The CPU is always there, whether the list names it or not.
  void show(device::Context& context) {
    if (!scenario_.devices.visible) return;
    std::vector<PhysicalDevice> visible;
    for (const PhysicalDevice& device : context.list_physical_devices(Kind::cpu)) visible.push_back(device);
    for (const std::string& name : *scenario_.devices.visible) {
      const auto device = physical(context, name, "devices.visible");
      if (device && device->kind != Kind::cpu) visible.push_back(*device);
    }
    at("devices.visible", "name physical devices: \"GPU:0\"", [&] { context.set_visible_devices(visible); });
  }

  void cut(device::Context& context) {
    for (const auto& [name, pieces] : scenario_.devices.logical) {
      const std::string key = "devices.logical." + name;
      const auto device = physical(context, name, key);
      if (!device) continue;
      device::LogicalDeviceConfigurations configurations;
      for (const scenario::LogicalDevice& piece : pieces.cut) {
        auto& configuration = configurations.emplace_back();
        if (piece.memory_limit) configuration.memory_limit = piece.memory_limit->bytes;
      }
      at(key, "every piece of a GPU has a \"memory_limit\", and no piece of a CPU has one",
         [&] { context.set_logical_device_configuration(*device, configurations); });
    }
    if (!scenario_.devices.memory_growth) return;
    for (const PhysicalDevice& gpu : context.get_visible_devices(Kind::gpu))
      at("devices.memory_growth", "a GPU grows or is cut: leave one of the two out",
         [&] { context.set_memory_growth(gpu, true); });
  }

  LogicalDevice chosen(device::Context& context) {
    const std::vector<LogicalDevice> all = context.list_logical_devices();
    if (!scenario_.strategy.device) return best(all);
    const std::string& wanted = *scenario_.strategy.device;
    std::vector<std::string> known;
    for (const LogicalDevice& device : all) known.push_back(device::short_name(device));
    const std::vector<std::string_view> names(known.begin(), known.end());
    try {
      if (const LogicalDevice* found = context.find(device::parse_name(wanted))) return *found;
      problems_.add(scenario_.place("strategy.device"),
                    fmt::format("there is no device \"{}\"", printable(wanted)), did_you_mean(wanted, names));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(scenario_.place("strategy.device"), problem.fact, problem.remedy);
    }
    return all.front();
  }

  // As TensorFlow's placer: GPUs before the CPU, lowest index first, and TPUs only where they are asked for.
  static LogicalDevice best(const std::vector<LogicalDevice>& all) {
    const auto gpu = std::find_if(all.begin(), all.end(),
                                  [](const LogicalDevice& device) { return device.name.kind == Kind::gpu; });
    return gpu == all.end() ? all.front() : *gpu;
  }

  const Scenario& scenario_;
  Problems problems_{};
};

}  // namespace

platform::Endpoint Machine::endpoint() const {
  expect(platform.has_value(), "a machine without platform has no endpoint{}", "");
  int slot = device.physical.slot;  // among the first machine's devices of its kind
  for (std::int32_t i = 0; i < platform->devices(); ++i) {
    const platform::Endpoint endpoint = platform->device(i);
    if (platform->type(endpoint).kind == device.physical.kind && slot-- == 0) return endpoint;
  }
  return platform->host(0);
}

Machine build_machine(const Scenario& scenario) { return MachineBuilder(scenario).build(); }

}  // namespace wt::scenario
