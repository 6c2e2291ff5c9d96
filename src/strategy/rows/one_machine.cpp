#include "strategy/rows/one_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_writer.h"
#include "base/rough.h"
#include "cluster/cluster_spec.h"
#include "platform/platform.h"

namespace wt::strategy {

void require_one_machine(std::string_view strategy, const platform::Platform& platform,
                         const Report& report) {
  if (platform.machines() == 1) return;
  report("strategy.type",
         fmt::format("{} trains on the devices of one machine, and {} has {}", strategy, platform.name(),
                     platform.machines()),
         "take multi_worker_mirrored, or one machine: \"platform\": {\"file\": ..., \"set\": "
         "{\"machines\": 1}}");
}

void add_replicas_on(Site& site, Kind kind, const DeviceNames& devices, std::string_view option) {
  device::Context& program = site.processes().front();
  site.at(fmt::format("strategy.{}", option), "name each device once", [&] {
    if (devices && devices->empty())
      throw InputError("a strategy without devices computes nothing", "name them, or leave the key out");
    std::vector<GivenDevice> names;
    for (const std::string& name : devices.value_or(std::vector<std::string>{}))
      names.push_back(print(site.named(program, name, option).name));
    if (site.has_problems()) return;
    const std::vector<device::Name> all = worker_devices({.kind = kind, .devices = names}, program);
    require_different(all);  // central storage, too: the time of replicas that share a device isn't modelled
    for (const device::Name& name : all) site.add_replica(*program.find(name), 0);
  });
}

Overrides resized_virtual_machine(const Resizing& resizing) {
  if (resizing.is_given("devices.visible"))
    resizing.refuse("devices.visible", "the scenario says which devices the program sees",
                    "leave it out: the platform then has as many devices as there are replicas");
  return {fmt::format("platform.virtual.devices={}", resizing.wanted())};
}

Overrides resized_on_one_machine(std::string_view strategy, const Resizing& resizing,
                                 const DeviceNames& devices, std::string_view option) {
  const int wanted = resizing.wanted(), now = resizing.now();
  if (wanted > now && resizing.is_virtual() && !devices) return resized_virtual_machine(resizing);
  if (wanted > now)
    resizing.refuse("strategy.type",
                    devices ? fmt::format("the scenario names {}", counted(now, "device"))
                            : fmt::format("{} trains on the devices of one machine, and {} has {}", strategy,
                                          resizing.machine().platform->name(), now),
                    fmt::format("write {} at most, or take multi_worker_mirrored for several machines: --set "
                                "strategy.type=multi_worker_mirrored",
                                now));
  std::vector<std::string> names;
  for (int i = 0; i < wanted; ++i)
    names.push_back(
        json::quote(device::short_name(resizing.machine().replicas[static_cast<std::size_t>(i)].device)));
  return {fmt::format("strategy.{}=[{}]", option, fmt::join(names, ", "))};
}

std::vector<device::Name> device_names(const cluster::Machine& machine) {
  std::vector<device::Name> names;
  for (const cluster::Replica& replica : machine.replicas) names.push_back(replica.device.name);
  return names;
}

std::string info(const std::string& text) { return "INFO:tensorflow:" + text; }

std::vector<std::string> texts_of(const std::vector<device::Name>& names) {
  std::vector<std::string> texts;
  for (const device::Name& name : names) texts.push_back(print(name));
  return texts;
}

std::string python_list(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(cluster::python_repr(name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// A tuple of one element has a comma behind it.
std::string python_tuple(const std::vector<std::string>& names) {
  return fmt::format("({}{})", python_list(names), names.size() == 1 ? "," : "");
}

}  // namespace wt::strategy
