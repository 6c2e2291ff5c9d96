#include "platform/formats/simgrid_hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/device_types.h"
#include "platform/formats/simgrid_units.h"

namespace wt::platform {

namespace {

constexpr std::string_view assumed_host = "desktop_cpu";
constexpr std::string_view prefix = "windtunnel:";

}  // namespace

SimgridHosts::SimgridHosts(const Parameters& parameters, Problems& problems) : problems_(problems) {
  Level all{};
  for (const Parameter& parameter : parameters) {
    const auto name = std::find(names.begin(), names.end(), parameter.key);
    const bool is_text = parameter.value.kind() == json::Kind::string;
    if (name == names.end()) {
      problems.add(parameter.value.place(),
                   fmt::format("unknown key \"{}\" of a SimGrid platform", printable(parameter.key)),
                   did_you_mean(parameter.key, names));
    } else if (!is_text) {
      problems.add(parameter.value.place(),
                   fmt::format("expected a string, found {}", describe(parameter.value.kind())));
    } else {
      all[static_cast<std::size_t>(name - names.begin())] = std::make_shared<Placed<std::string>>(
          Placed<std::string>{parameter.value.string(), parameter.value.place()});
    }
  }
  levels_.push_back(all);
}

void SimgridHosts::read_property(xml::Element& prop) {
  const std::string id = prop.required("id");
  const std::string value = prop.required("value");
  prop.finish();
  if (!id.starts_with(prefix)) return;
  const auto name = std::find(names.begin(), names.end(), id.substr(prefix.size()));
  if (name == names.end()) {
    const std::array<std::string_view, 3> known{"windtunnel:type", "windtunnel:host", "windtunnel:pcie"};
    prop.problem("id", fmt::format("unknown property \"{}\"", printable(id)), did_you_mean(id, known));
    return;
  }
  levels_.back()[static_cast<std::size_t>(name - names.begin())] =
      std::make_shared<Placed<std::string>>(Placed<std::string>{value, prop.place("value")});
}

// The device type with an id. Null, and a problem at the place of the id, if there is none.
const device::DeviceType* SimgridHosts::type_named(const Placed<std::string>& id) {
  try {
    return &device_type_named(id.value);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) problems_.add(id.place, problem.fact, problem.remedy);
    return nullptr;
  }
}

std::optional<BytesPerSecond> SimgridHosts::read_pcie(const Level& level, const device::DeviceType& type,
                                                      const xml::Element& element) {
  if (type.kind == device::Kind::cpu) return std::nullopt;
  if (!level[of_pcie]) {
    element.problem(fmt::format("the bandwidth between the {} and its host's memory is not stated", type.id),
                    R"(add <prop id="windtunnel:pcie" value="26 GB/s"/>)");
    return BytesPerSecond(1);
  }
  const Parsed<BytesPerSecond> parsed = try_parse<BytesPerSecond>(level[of_pcie]->value);
  const bool is_positive = parsed.value && parsed.value->count() > 0;
  if (!is_positive)
    problems_.add(level[of_pcie]->place, parsed.value ? "this is not a bandwidth" : parsed.fact,
                  parsed.value ? R"(write more than 0, as in "26 GB/s")" : parsed.remedy);
  return is_positive ? *parsed.value : BytesPerSecond(1);
}

// The types of a host. Unless a property names a device type, the device is a CPU with the speed of the host
// as its peak.
SimgridHosts::Found SimgridHosts::find(const Level& level, FlopsPerSecond speed,
                                       const xml::Element& element) {
  if (!level[of_host] && !assumed_at_) assumed_at_ = element.place();
  const device::DeviceType* cpu =
      level[of_host] ? type_named(*level[of_host]) : &device_type_named(assumed_host);
  const device::DeviceType* named = level[of_device] ? type_named(*level[of_device]) : nullptr;
  auto types = std::make_shared<MachineTypes>();
  if (cpu != nullptr && cpu->kind != device::Kind::cpu)  // so a property named it: the assumed one is a CPU
    problems_.add(level[of_host]->place, fmt::format("{} is not a CPU", cpu->id),
                  "name a CPU, such as xeon_8168");
  const bool is_cpu = cpu != nullptr && cpu->kind == device::Kind::cpu;
  types->host = is_cpu ? *cpu : device_type_named(assumed_host);
  if (named != nullptr) {
    types->device = *named;
  } else {
    types->device = types->host;
    types->device.id = "simgrid_host";
    types->device.aliases.clear();
    types->device.product = fmt::format("a SimGrid host of {}", print(speed));
    types->device.peak = {{device::Precision::float32, speed}};
    types->device.source = "the platform's XML";
  }
  return {types, read_pcie(level, types->device, element)};
}

// Reports the first host that does not fit the wiring that all machines share.
void SimgridHosts::check_alike(const Found& found, const xml::Element& element) {
  if (!first_) first_ = found;
  const bool is_alike = found.types->device.kind == first_->types->device.kind &&
                        found.pcie == first_->pcie &&
                        found.types->host.memory_bandwidth == first_->types->host.memory_bandwidth;
  if (is_alike || reported_unlike_) return;
  reported_unlike_ = true;
  element.problem(
      "this host is of another kind than the first one",
      "hosts may differ in speed and type, but all must be CPUs or all must be GPUs, with the same PCIe and "
      "memory bandwidth");
}

// Hosts with equal properties and speed share their types, so that a cluster of many hosts takes little
// memory.
void SimgridHosts::add(const std::string& name, FlopsPerSecond speed, const xml::Element& element) {
  const Level& level = levels_.back();
  const auto value = [&](Property property) {
    return level[property] ? level[property]->value : std::string();
  };
  const Sort sort{value(of_device), value(of_host), value(of_pcie), speed.count()};
  auto known = sorts_.find(sort);
  if (known == sorts_.end()) {
    known = sorts_.emplace(sort, find(level, speed, element)).first;
    check_alike(known->second, element);
  }
  individuals_.push_back({name, known->second.types});
}

// One wiring for all machines, and the zones as the fabric that joins their devices. A single host needs no
// fabric.
Built SimgridHosts::build(Zones zones, std::vector<Problem> warnings) {
  MachineDescription machine;
  machine.devices.type.value = first_->types->device;
  machine.hosts.type.value = first_->types->host;
  if (first_->pcie) machine.pcie.emplace().wire.bandwidth = first_->pcie;
  if (assumed_at_)
    warnings.push_back({*assumed_at_,
                        fmt::format("memory and its bandwidth are assumed to be those of {}", assumed_host),
                        R"(name a CPU: <prop id="windtunnel:host" value="xeon_8168"/>)"});
  const auto machines = narrow<std::int32_t>(individuals_.size());
  auto fabric = std::make_unique<ZoneFabric>(std::move(zones), problems_, warnings);
  if (problems_.any()) return {};
  const bool has_fabric = machines > 1;
  Wiring wiring(machine, {.has_fabric = has_fabric}, problems_);
  if (problems_.any()) return {};
  if (!has_fabric) fabric.reset();
  const MachineTypes types = *first_->types;
  std::vector<EqualMachines> hosts;
  hosts.push_back({.wiring = std::move(wiring), .types = types, .count = machines});
  return {std::make_shared<const Topology>(std::move(hosts), std::nullopt, std::move(fabric), machines,
                                           nullptr, std::move(individuals_)),
          std::move(warnings)};
}

}  // namespace wt::platform
