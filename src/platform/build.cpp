#include "platform/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/utf8.h"
#include "platform/networks.h"
#include "platform/topology.h"
#include "platform/torus.h"

namespace wt::platform {

namespace {

// The limits keep the ids of endpoints and links within 32 bits.
constexpr std::int64_t most_devices = 1 << 22;  // also of NICs, and of hosts
constexpr std::int64_t most_links = 1 << 30;
constexpr double most_shapes = 1 << 18;  // that the rule "multiples_of" can generate
constexpr std::int64_t most_devices_of_a_machine = 1 << 16;
// A machine without a fabric stores a route for each pair of devices.
constexpr std::int64_t most_paired_devices = 1024;

LinkKind link_kind(FabricKind kind) {
  switch (kind) {
    case FabricKind::network:
      return LinkKind::network;
    case FabricKind::nvlink:
      return LinkKind::nvlink;
    case FabricKind::xgmi:
      return LinkKind::xgmi;
    case FabricKind::ici:
      return LinkKind::ici;
    case FabricKind::pcie:
      return LinkKind::pcie;
  }
  return LinkKind::network;
}

// Removes the devices from number `count` on from the lists of a machine, so that only its first devices
// remain.
void keep_first(std::vector<int>& devices, int count) {
  std::erase_if(devices, [&](int device) { return device >= count; });
}
void keep_first(std::vector<Switch>& switches, int count) {
  for (Switch& content : switches) {
    keep_first(content.devices, count);
    keep_first(content.switches, count);
  }
}
void keep_first(MachineDescription& machine, int count) {
  if (machine.pcie) {
    auto* tree = std::get_if<std::vector<Switch>>(&machine.pcie->switches.value);
    if (tree != nullptr) keep_first(*tree, count);
  }
  for (std::optional<Nvlink>* nvlink : {&machine.nvlink, &machine.xgmi}) {
    if (!*nvlink || !(*nvlink)->pairs) continue;
    std::erase_if(*(*nvlink)->pairs,
                  [&](const Pair& pair) { return std::max(pair.first, pair.second) >= count; });
  }
}

// Keeps the first devices of a larger machine at their places, or makes a machine with more devices. Returns
// whether devices were left out.
bool set_devices(MachineDescription& machine, int count) {
  const bool has_fewer = count < machine.devices.count;
  if (has_fewer) {
    machine.devices.dealt_as = machine.devices.count;
    keep_first(machine, count);
  }
  machine.devices.count = count;
  return has_fewer;
}

// Where each device has several ports near it, libraries use them as one (NCCL and Amazon's plugin do): "count": 16 for
// eight devices means two links of each of eight NICs. A tree that names its NICs says itself what is near to what.
void join_ports(MachineDescription& machine) {
  const int devices = machine.devices.dealt_as > 0 ? machine.devices.dealt_as : machine.devices.count;
  const bool names_nics =
      machine.pcie && std::holds_alternative<std::vector<Switch>>(machine.pcie->switches.value);
  if (!machine.nics || names_nics || machine.nics->count <= devices || machine.nics->count % devices != 0)
    return;
  machine.nics->wire.links *= machine.nics->count / devices;
  machine.nics->count = devices;
}

int count_of(const MachineGroup& group) { return group.count ? group.count->value : 1; }
int nics_of(const MachineDescription& machine) { return machine.nics ? machine.nics->count : 0; }

// The CPU type with the memory that the machine has.
MachineTypes types_of(const MachineDescription& machine) {
  MachineTypes types{machine.devices.type.value, machine.hosts.type.value};
  if (machine.hosts.memory) types.host.memory = *machine.hosts.memory;
  if (machine.hosts.memory_bandwidth) types.host.memory_bandwidth = *machine.hosts.memory_bandwidth;
  return types;
}

// Works on a copy of the described machines, because "devices", "ranks" and the slice determine the number of
// their devices. The order is: count machines and devices, check the size, wire one machine of each group, make
// the fabric and the network. Wiring begins only if the counts are right. A platform with a slice or a fabric
// has one group.
class Builder {
 public:
  Builder(const Description& description, Problems& problems)
      : description_(description), groups_(description.groups), problems_(problems) {}

  Built build() {
    if (description_.ici) {
      count_slice();
    } else {
      count_machines();
    }
    for (MachineGroup& group : groups_) join_ports(group.machine);
    if (!problems_.any()) check_size();
    if (problems_.any()) return {};
    const Wiring::Options options = wiring_options();
    std::vector<EqualMachines> machines;
    for (const MachineGroup& group : groups_)
      machines.push_back({.wiring = Wiring(group.machine, options, problems_),
                          .types = types_of(group.machine),
                          .ratings = ratings(group.machine, options.has_fabric),
                          .count = count_of(group)});
    std::unique_ptr<const Fabric> fabric =
        options.has_fabric ? make_fabric(machines.front().wiring) : nullptr;
    const bool fabric_joins_all = options.has_fabric && fabric_machines_ == this->machines();
    const bool has_several = this->machines() > 1;
    std::unique_ptr<const Fabric> network;
    if (has_several && (!fabric_joins_all || description_.network)) network = make_network();
    check_links(machines);
    if (problems_.any()) return {};
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (!has_fewer_devices_.contains(i))
        for (const Problem& warning : machines[i].wiring.idle()) warnings_.push_back(warning);
    return {std::make_shared<const Topology>(std::move(machines), slice_, std::move(fabric), fabric_machines_,
                                             std::move(network)),
            std::move(warnings_)};
  }

 private:
  // ---- The numbers of machines and devices

  MachineGroup& only() { return groups_.front(); }  // of a platform with a slice or a fabric
  const MachineGroup& only() const { return groups_.front(); }

  std::int64_t machines() const {
    std::int64_t machines = 0;
    for (const MachineGroup& group : groups_) machines += count_of(group);
    return machines;
  }

  // TPUs: the slice determines the devices of a machine and the number of machines, one for each host of each
  // slice.
  void count_slice() {
    const Ici& ici = *description_.ici;
    check_axes("host", ici.host);
    for (const Shape& shape : ici.shapes) check_axes("shapes", shape);
    for (const Shape& shape : ici.single_host) check_axes("single_host", shape);
    if (ici.device == Unit::core && !ici.on_chip)
      problems_.add(ici.place, "this object has no \"on_chip\", although each core is a device",
                    "add the wire between a core and its chip's ICI");
    const std::int32_t longest = *std::max_element(ici.pod.extents.begin(), ici.pod.extents.end());
    if (std::pow(longest / ici.multiples_of.value_or(longest), ici.pod.axes()) > most_shapes)
      problems_.add(ici.place, "the pod has too many slices", "write a larger \"multiples_of\"");
    if (ici.device == Unit::chip && ici.on_chip)
      warnings_.push_back(
          {ici.on_chip->place, "the wire on the chip is unused: each chip is one device", "leave it out"});
    if (problems_.any() || !description_.slice) return;
    slice_ = find_slice(ici, description_.slice->value, description_.slice->place, problems_);
    if (!slice_) return;
    only().machine.devices.count = slice_->devices_per_host;
    fabric_machines_ = slice_->hosts;
    const std::int64_t slices = description_.slices ? description_.slices->value : 1;
    only().count.emplace().value = static_cast<int>(std::min(slices * slice_->hosts, most_devices + 1));
  }

  void check_axes(std::string_view key, const Shape& shape) {
    const Ici& ici = *description_.ici;
    if (shape.axes() == ici.pod.axes()) return;
    problems_.add(ici.place,
                  fmt::format("{} in \"{}\" has {} axes, and the pod has {}", print(shape), key, shape.axes(),
                              ici.pod.axes()),
                  "write one extent for each axis of the pod");
  }

  // All other platforms: "machines", "devices" and "ranks" determine the numbers.
  void count_machines() {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].devices && set_devices(groups_[i].machine, groups_[i].devices->value))
        has_fewer_devices_.insert(i);
    if (description_.ranks) count_ranks(*description_.ranks);
    const std::optional<Network>& fabric = description_.fabric;
    if (!fabric) return;
    fabric_machines_ = std::min(fabric->machines.value_or(count_of(only())), count_of(only()));
    if (count_of(only()) % fabric_machines_ != 0) {
      problems_.add(
          fabric->place,
          fmt::format("{} machines cannot be divided into fabrics of {}", count_of(only()), fabric_machines_),
          fmt::format("\"machines\" must be a multiple of {}", fabric_machines_));
    }
  }

  void count_ranks(const Placed<int>& ranks) {
    if (!description_.fabric) {
      problems_.add(ranks.place, "\"ranks\" needs a \"fabric\" that joins the devices",
                    "write \"machines\" or \"devices\"");
    } else if (ranks.value % count_of(only()) != 0) {
      problems_.add(ranks.place,
                    fmt::format("{} ranks cannot be distributed evenly over {} machines", ranks.value,
                                count_of(only())),
                    fmt::format("write a multiple of {}", count_of(only())));
    } else if (set_devices(only().machine, ranks.value / count_of(only()))) {
      has_fewer_devices_.insert(0);
    }
  }

  // A fabric of one port has no links and is left out.
  bool has_fabric() const {
    const bool is_described = description_.ici || description_.fabric;
    const std::int32_t ports = slice_ ? slice_->chips : fabric_machines_ * only().machine.devices.count;
    return is_described && ports > 1;
  }

  void check_size() {
    const struct {
      std::string_view noun;
      int (*of_a_machine)(const MachineDescription&);
    } rows[] = {{"devices", [](const MachineDescription& machine) { return machine.devices.count; }},
                {"NICs", nics_of},
                {"hosts", [](const MachineDescription& machine) { return machine.hosts.count; }}};
    for (const auto& row : rows) {
      std::int64_t all = 0;
      for (const MachineGroup& group : groups_)
        all += std::int64_t{count_of(group)} * row.of_a_machine(group.machine);
      if (all <= most_devices) continue;
      problems_.add(description_.place, fmt::format("the platform has {} {}", all, row.noun),
                    fmt::format("describe at most {}", most_devices));
    }
    const std::int64_t most = has_fabric() ? most_devices_of_a_machine : most_paired_devices;
    for (const MachineGroup& group : groups_) {
      const Devices& devices = group.machine.devices;
      if (devices.count <= most) continue;
      problems_.add(
          devices.place, fmt::format("{} devices are too many for one machine", devices.count),
          fmt::format("write at most {}{}", most, has_fabric() ? "" : ", or a \"fabric\" that joins them"));
    }
  }

  void check_links(const std::vector<EqualMachines>& machines) {
    std::int64_t links = 0;
    for (const EqualMachines& equal : machines) links += std::int64_t{equal.count} * equal.wiring.links();
    if (links > most_links)
      problems_.add(description_.place,
                    fmt::format("the {} machines have {} links, which are too many", this->machines(), links),
                    "describe fewer machines");
  }

  // ---- The parts

  Wiring::Options wiring_options() const {
    Wiring::Options options{.has_fabric = has_fabric()};
    if (description_.ici && description_.ici->device == Unit::core) {
      options.cores_per_chip = description_.ici->cores;
      options.on_chip = description_.ici->on_chip;
    }
    return options;
  }

  // The torus of a slice, or the described fabric.
  std::unique_ptr<const Fabric> make_fabric(const Wiring& wiring) {
    if (!slice_) {
      const Network& fabric = *description_.fabric;
      const LinkKind kind = link_kind(fabric.kind);
      return platform::make_fabric(fabric,
                                   {.groups = {{fabric_machines_, wiring.ports()}},
                                    .noun = "device",
                                    .port_kind = kind,
                                    .uplink_kind = kind},
                                   problems_, warnings_);
    }
    const Wire& wire = description_.ici->wire;
    return std::make_unique<TorusFabric>(Grid{slice_->shape, slice_->wraps, slice_->twisted, slice_->host},
                                         Link{LinkKind::ici, payload(wire), wire.latency});
  }

  // Called only if there are several machines that a fabric does not join, or a network is described.
  std::unique_ptr<const Fabric> make_network() {
    const Place& place = only().count && groups_.size() == 1 ? only().count->place : description_.place;
    if (!description_.network) {
      problems_.add(place,
                    "there are several machines, and the platform describes no network that joins them",
                    "add \"network\" to the platform, or take one machine");
      return nullptr;
    }
    Ports ports;
    for (const MachineGroup& group : groups_) {
      if (group.machine.nics)
        ports.groups.push_back({count_of(group), group.machine.nics->count, &group.machine.nics->wire});
      else
        report_no_nics(group);
    }
    if (ports.groups.size() < groups_.size()) return nullptr;
    return platform::make_fabric(*description_.network, ports, problems_, warnings_);
  }

  void report_no_nics(const MachineGroup& group) {
    if (group.file.empty())
      problems_.add(description_.network->place, "the machines have no NICs that a network could join",
                    "add \"nics\" to the machine");
    else
      problems_.add(
          group.place,
          fmt::format("a machine of {} has no NICs that a network could join", printable(group.file)),
          "name a file whose machine has \"nics\", such as cpu_server");
  }

  // The fabric's wire hides NVLink's: with a fabric the devices use no NVLinks inside the machine.
  Ratings ratings(const MachineDescription& machine, bool has_fabric) const {
    Ratings ratings;
    if (has_fabric) {
      ratings.fabric = slice_ ? FabricKind::ici : description_.fabric->kind;
      ratings.between_devices = slice_ ? description_.ici->wire : description_.fabric->wire;
    } else if (machine.nvlink || machine.xgmi) {
      ratings.between_devices = machine.nvlink ? machine.nvlink->wire : machine.xgmi->wire;
    }
    if (!machine.nics) return ratings;
    const std::optional<Network>& network = description_.network;
    ratings.nic = network ? port_wire(*network, machine.nics->wire, groups_.size() > 1) : machine.nics->wire;
    ratings.nic_type = machine.nics->type;
    return ratings;
  }

  const Description& description_;
  std::vector<MachineGroup> groups_;
  Problems& problems_;
  std::vector<Problem> warnings_{};
  std::optional<Slice> slice_{};
  std::int32_t fabric_machines_ = 1;
  // The groups whose machines have fewer devices than described. Links of the omitted ones are unused, which
  // needs no warning.
  std::set<std::size_t> has_fewer_devices_{};
};

}  // namespace

Built build(const Description& description, Problems& problems) {
  return Builder(description, problems).build();
}

}  // namespace wt::platform
