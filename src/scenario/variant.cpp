#include "scenario/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/json_writer.h"
#include "base/rough.h"
#include "device/logical_device.h"
#include "platform/load.h"
#include "platform/slice.h"
#include "scenario/names.h"

namespace wt::scenario {

namespace {

class Resizer {
 public:
  Resizer(const Scenario& scenario, const cluster::Machine& machine, int replicas)
      : scenario_(scenario), machine_(machine), replicas_(replicas) {}

  Overrides overrides() const {
    switch (scenario_.strategy.type()) {
      case StrategyType::default_strategy:
      case StrategyType::one_device:
        return alone();
      case StrategyType::mirrored:
        return of_one_machine("devices", scenario_.strategy.as<Mirrored>()->devices.has_value());
      case StrategyType::central_storage:
        return of_one_machine("compute_devices",
                              scenario_.strategy.as<CentralStorage>()->compute_devices.has_value());
      case StrategyType::multi_worker_mirrored:
        return of_workers();
      case StrategyType::tpu:
        return of_slice();
    }
    return {};
  }

 private:
  int had() const { return static_cast<int>(machine_.replicas.size()); }
  std::string_view strategy() const { return name_of(scenario_.strategy.type()); }
  bool is_virtual() const {
    const auto& written = scenario_.platform.written;
    return written && written->kind() == json::Kind::object && written->find("virtual") != nullptr;
  }

  [[noreturn]] void refuse(std::string_view key, const std::string& fact, const std::string& remedy) const {
    throw InputError(
        Problem{scenario_.place(key), fmt::format("{}: {}", counted(replicas_, "replica"), fact), remedy});
  }

  Overrides alone() const {
    if (replicas_ == 1) return {};
    refuse("strategy.type", fmt::format("{} computes on one device", strategy()),
           "take mirrored for the devices of one machine: --set strategy.type=mirrored");
  }

  // The first of those that there are.
  Overrides of_one_machine(std::string_view key, bool are_named) const {
    if (replicas_ > had() && is_virtual() && !are_named)
      return {fmt::format("platform.virtual.devices={}", replicas_)};
    if (replicas_ > had())
      refuse("strategy.type",
             are_named ? fmt::format("the scenario names {}", counted(had(), "device"))
                       : fmt::format("{} trains on the devices of one machine, and {} has {}", strategy(),
                                     machine_.platform->name(), had()),
             fmt::format("write {} at most, or take multi_worker_mirrored for several machines: --set "
                         "strategy.type=multi_worker_mirrored",
                         had()));
    std::vector<std::string> names;
    for (int i = 0; i < replicas_; ++i)
      names.push_back(json::quote(device::short_name(machine_.replicas[static_cast<std::size_t>(i)].device)));
    return {fmt::format("strategy.{}=[{}]", key, fmt::join(names, ", "))};
  }

  // ---- Workers

  int of_a_worker() const { return had() / machine_.tasks; }

  Overrides of_workers() const {
    const int each = of_a_worker();
    if (scenario_.cluster.written)
      refuse("cluster", "the cluster says how many workers there are",
             "leave it out: there is a worker on every machine then");
    if (replicas_ > each && replicas_ % each != 0)
      refuse("strategy.type", fmt::format("every worker has {}", counted(each, "device")),
             fmt::format("write {} at most, or a multiple of it: {} is the next one", each,
                         (replicas_ / each + 1) * each));
    const int workers = std::max(1, replicas_ / each);
    if (is_virtual())
      return {fmt::format("platform.virtual.devices={}", replicas_),
              fmt::format("platform.virtual.workers={}", workers)};
    Overrides overrides{with_platform("machines", std::to_string(workers))};
    if (replicas_ < each) overrides.push_back(visible());
    return overrides;
  }

  std::string visible() const {
    if (!scenario_.devices.logical.empty())
      refuse("devices.logical", "a worker's devices are cut into pieces",
             fmt::format("write a multiple of {}", of_a_worker()));
    std::vector<std::string> names;
    for (int i = 0; i < replicas_; ++i) {
      const device::PhysicalDevice& device = machine_.replicas[static_cast<std::size_t>(i)].device.physical;
      names.push_back(fmt::format("\"{}:{}\"", device::name(device.kind), device.index));
    }
    return fmt::format("devices.visible=[{}]", fmt::join(names, ", "));
  }

  // A key of the platform's file, however the scenario names the platform.
  std::string with_platform(std::string_view key, const std::string& value) const {
    const json::Value& written = *scenario_.platform.written;
    if (written.kind() == json::Kind::object)
      return fmt::format("platform.{}{}={}", written.find("file") != nullptr ? "set." : "", key, value);
    const std::string& name = written.string();
    const bool is_path = name.ends_with(".json") || name.ends_with(".xml");
    const std::string file =
        is_path ? (std::filesystem::path(scenario_.platform.folder) / name).string() : name;
    return fmt::format(R"(platform={{"file": {}, "set": {{"{}": {}}}}})", json::quote(file), key, value);
  }

  // ---- Slices

  Overrides of_slice() const {
    const auto ici = platform::from_json(*scenario_.platform.written, scenario_.platform.folder).ici;
    WT_EXPECT(ici.has_value(), "{} has TPUs and no rule for slices", machine_.platform->name());
    const platform::SliceOfReplicas found =
        platform::slice_of_replicas(*ici, replicas_ * scenario_.strategy.as<Tpu>()->cores_per_replica());
    if (!found.shape)
      refuse("platform", fmt::format("{} has no such slice", machine_.platform->name()), found.nearest);
    return {with_platform("slice", json::quote(print(*found.shape)))};
  }

  const Scenario& scenario_;
  const cluster::Machine& machine_;
  const int replicas_;
};

}  // namespace

Overrides with_replicas(const Scenario& scenario, const cluster::Machine& machine, int replicas) {
  WT_EXPECT(replicas > 0, "{} replicas", replicas);
  WT_EXPECT(machine.platform.has_value(), "replicas of a scenario without platform");
  return Resizer(scenario, machine, replicas).overrides();
}

}  // namespace wt::scenario
