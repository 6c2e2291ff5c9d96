#include "platform/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// Works on a copy of the described machine, because "devices", "ranks" and the slice determine the number of
// its devices. The order is: count machines and devices, check the size, wire one machine, make the fabric
// and the network. Wiring begins only if the counts are right.
class Builder {
 public:
  Builder(const Description& description, Problems& problems)
      : description_(description), machine_(description.machine), problems_(problems) {}

  Built build() {
    if (description_.ici) {
      count_slice();
    } else {
      count_machines();
    }
    if (!problems_.any()) check_size();
    if (problems_.any()) return {};
    const Wiring::Options options = wiring_options();
    Wiring wiring(machine_, options, problems_);
    std::unique_ptr<const Fabric> fabric = options.has_fabric ? make_fabric(wiring) : nullptr;
    const bool fabric_joins_all = options.has_fabric && fabric_machines_ == machines_;
    const bool needs_network = machines_ > 1 && !fabric_joins_all;
    std::unique_ptr<const Fabric> network;
    if (needs_network || (machines_ > 1 && description_.network)) network = make_network();
    check_links(wiring);
    if (problems_.any()) return {};
    if (!has_fewer_devices_)
      for (const Problem& warning : wiring.idle()) warnings_.push_back(warning);
    return {
        std::make_shared<const Topology>(std::move(wiring), types(), machines_, slice_, std::move(fabric),
                                         fabric_machines_, std::move(network), ratings(options.has_fabric)),
        std::move(warnings_)};
  }

 private:
  // ---- The numbers of machines and devices

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
    machine_.devices.count = slice_->devices_per_host;
    fabric_machines_ = slice_->hosts;
    const std::int64_t slices = description_.slices ? description_.slices->value : 1;
    machines_ = static_cast<std::int32_t>(std::min(slices * slice_->hosts, most_devices + 1));
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
    machines_ = description_.machines ? description_.machines->value : 1;
    if (description_.devices) set_devices(description_.devices->value);
    if (description_.ranks) count_ranks(*description_.ranks);
    const std::optional<Network>& fabric = description_.fabric;
    fabric_machines_ = fabric && fabric->machines ? std::min(*fabric->machines, machines_) : machines_;
    if (machines_ % fabric_machines_ != 0) {
      problems_.add(
          fabric->place,
          fmt::format("{} machines cannot be divided into fabrics of {}", machines_, fabric_machines_),
          fmt::format("\"machines\" must be a multiple of {}", fabric_machines_));
    }
  }

  void count_ranks(const Placed<int>& ranks) {
    if (!description_.fabric) {
      problems_.add(ranks.place, "\"ranks\" needs a \"fabric\" that joins the devices",
                    "write \"machines\" or \"devices\"");
    } else if (ranks.value % machines_ != 0) {
      problems_.add(
          ranks.place,
          fmt::format("{} ranks cannot be distributed evenly over {} machines", ranks.value, machines_),
          fmt::format("write a multiple of {}", machines_));
    } else {
      set_devices(ranks.value / machines_);
    }
  }

  // Keeps the first devices of a larger machine at their places, or makes a machine with more devices.
  void set_devices(int count) {
    has_fewer_devices_ = count < machine_.devices.count;
    if (has_fewer_devices_) {
      machine_.devices.dealt_as = machine_.devices.count;
      keep_first(machine_, count);
    }
    machine_.devices.count = count;
  }

  // A fabric of one port has no links and is left out.
  bool has_fabric() const {
    const bool is_described = description_.ici || description_.fabric;
    const std::int32_t ports = slice_ ? slice_->chips : fabric_machines_ * machine_.devices.count;
    return is_described && ports > 1;
  }

  void check_size() {
    const struct {
      std::string_view noun;
      std::int64_t of_a_machine;
    } rows[] = {{"devices", machine_.devices.count},
                {"NICs", machine_.nics ? machine_.nics->count : 0},
                {"hosts", machine_.hosts.count}};
    for (const auto& row : rows) {
      if (machines_ * row.of_a_machine <= most_devices) continue;
      problems_.add(description_.place,
                    fmt::format("the platform has {} {}", machines_ * row.of_a_machine, row.noun),
                    fmt::format("describe at most {}", most_devices));
    }
    const std::int64_t most = has_fabric() ? most_devices_of_a_machine : most_paired_devices;
    if (machine_.devices.count > most) {
      problems_.add(
          machine_.devices.place,
          fmt::format("{} devices are too many for one machine", machine_.devices.count),
          fmt::format("write at most {}{}", most, has_fabric() ? "" : ", or a \"fabric\" that joins them"));
    }
  }

  void check_links(const Wiring& wiring) {
    if (std::int64_t{machines_} * wiring.links() > most_links)
      problems_.add(description_.place,
                    fmt::format("{} machines of {} links each are too many", machines_, wiring.links()),
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
                                   {.machines = fabric_machines_,
                                    .per_machine = wiring.ports(),
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
    const Place& place = description_.machines ? description_.machines->place : description_.place;
    if (!description_.network) {
      problems_.add(place,
                    "there are several machines, and the platform describes no network that joins them",
                    "add \"network\" to the platform, or take one machine");
      return nullptr;
    }
    if (!machine_.nics) {
      problems_.add(description_.network->place, "the machines have no NICs that a network could join",
                    "add \"nics\" to the machine");
      return nullptr;
    }
    return platform::make_fabric(
        *description_.network,
        {.machines = machines_, .per_machine = machine_.nics->count, .usual = &machine_.nics->wire},
        problems_, warnings_);
  }

  // The CPU type with the memory that the machine has.
  MachineTypes types() const {
    MachineTypes types{machine_.devices.type.value, machine_.hosts.type.value};
    if (machine_.hosts.memory) types.host.memory = *machine_.hosts.memory;
    if (machine_.hosts.memory_bandwidth) types.host.memory_bandwidth = *machine_.hosts.memory_bandwidth;
    return types;
  }

  // The fabric's wire hides NVLink's: with a fabric the devices use no NVLinks inside the machine.
  Ratings ratings(bool has_fabric) const {
    Ratings ratings;
    if (has_fabric) {
      ratings.fabric = slice_ ? FabricKind::ici : description_.fabric->kind;
      ratings.between_devices = slice_ ? description_.ici->wire : description_.fabric->wire;
    } else if (machine_.nvlink || machine_.xgmi) {
      ratings.between_devices = machine_.nvlink ? machine_.nvlink->wire : machine_.xgmi->wire;
    }
    if (!machine_.nics) return ratings;
    const std::optional<Network>& network = description_.network;
    ratings.nic = network && network->wire.bandwidth ? network->wire : machine_.nics->wire;
    ratings.nic_type = machine_.nics->type;
    return ratings;
  }

  const Description& description_;
  MachineDescription machine_;
  Problems& problems_;
  std::vector<Problem> warnings_{};
  std::optional<Slice> slice_{};
  std::int32_t machines_ = 1;
  std::int32_t fabric_machines_ = 1;
  bool has_fewer_devices_ = false;  // then links of the omitted devices are unused, which needs no warning
};

}  // namespace

Built build(const Description& description, Problems& problems) {
  return Builder(description, problems).build();
}

}  // namespace wt::platform
