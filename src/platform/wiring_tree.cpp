// From the description of a machine to its parts and the tree of links that joins them:
//
//   host (memory) -- socket -- PCIe switches, if any -- devices and NICs
//
// and one link between each two sockets. With C2C a device is attached to its socket by that wire instead of
// PCIe. A device that is a CPU is attached to the memory of its host.

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "platform/wiring_steps.h"

namespace wt::platform {

class WiringTree {
 public:
  WiringTree(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
             Problems& problems)
      : wiring_(wiring), machine_(machine), options_(options), problems_(problems) {}

  bool build() {
    add_points();
    add_sockets();
    add_tree();
    add_devices();
    add_nics();
    return everything_is_reached();
  }

 private:
  // Points come first, so that a point has the same number as its part.
  void add_points() {
    wiring_.devices_ = machine_.devices.count;
    wiring_.hosts_ = machine_.hosts.count;
    wiring_.nics_ = machine_.nics ? machine_.nics->count : 0;
    wiring_.cores_per_chip_ = options_.cores_per_chip;
    wiring_.chips_ = options_.on_chip ? machine_.devices.count / options_.cores_per_chip : 0;
    wiring_.has_fabric_ = options_.has_fabric;
    const device::Kind kind = machine_.devices.type.value.kind;
    wiring_.device_noun_ = kind == device::Kind::cpu ? "cpu" : kind == device::Kind::gpu ? "gpu" : "tpu";
    wiring_.nvlink_switch_noun_ = machine_.xgmi ? "xgmi switch" : "nvswitch";
    for (int index = 0; index < wiring_.devices_; ++index) wiring_.add_part(Part::device, index);
    for (int index = 0; index < wiring_.hosts_; ++index) wiring_.add_part(Part::host, index, index);
    for (int index = 0; index < wiring_.nics_; ++index) wiring_.add_part(Part::nic, index);
    for (int index = 0; index < wiring_.chips_; ++index) wiring_.add_part(Part::chip, index);
  }

  std::int32_t host(std::int32_t socket) const { return static_cast<std::int32_t>(wiring_.host(socket)); }

  // A socket has its memory (the host) on one side and the PCIe tree and the other sockets on the other side.
  void add_sockets() {
    const Hosts& hosts = machine_.hosts;
    const BytesPerSecond memory = hosts.memory_bandwidth.value_or(hosts.type.value.memory_bandwidth);
    first_socket_ = narrow<std::int32_t>(wiring_.parts_.size());
    for (int socket = 0; socket < hosts.count; ++socket) {
      wiring_.add_part(Part::socket, socket, socket);
      wiring_.connect(first_socket_ + socket, host(socket), {LinkKind::host_memory, memory, Seconds(0)},
                      hosts.place);
    }
    if (hosts.count > 1 && !hosts.link) {
      problems_.add(hosts.place, fmt::format("no link joins the {} hosts of a machine", hosts.count),
                    "add \"link\": {\"bandwidth\": ...}, the wire between each two sockets");
    }
    if (hosts.count == 1 && hosts.link) {
      wiring_.idle_.push_back(
          {hosts.link->place, "the link between hosts is unused: a machine has one host", "leave it out"});
    }
    if (!hosts.link) return;
    for (int first = 0; first < hosts.count; ++first)
      for (int second = first + 1; second < hosts.count; ++second)
        wiring_.connect(first_socket_ + first, first_socket_ + second, LinkKind::socket, *hosts.link);
  }

  // ---- The PCIe tree

  std::int32_t add_switch(std::int32_t above, std::int32_t socket) {
    const std::int32_t part = wiring_.add_part(Part::pcie_switch, switches_++, socket);
    wiring_.connect(part, above, LinkKind::pcie,
                    machine_.pcie->uplink ? *machine_.pcie->uplink : machine_.pcie->wire);
    return part;
  }

  // Makes the switches and determines the switch above each device and each NIC.
  void add_tree() {
    above_device_.assign(at(wiring_.ports()), no_part);
    above_nic_.assign(at(wiring_.nics_), no_part);
    if (!machine_.pcie) return;
    const Switches& switches = machine_.pcie->switches.value;
    if (const auto* levels = std::get_if<std::vector<int>>(&switches)) {
      deal(*levels);
    } else {
      for (const Switch& top : std::get<std::vector<Switch>>(switches)) add_named(top, no_part, top.host);
      for (int port = 0; port < wiring_.ports(); ++port) {
        if (above_device_[at(port)] == no_part)
          problems_.add(machine_.pcie->switches.place, fmt::format("device {} is below no switch", port),
                        "add it to the \"devices\" of a switch");
      }
    }
  }

  // The number of ports of the complete machine, over which switches and sockets are distributed.
  std::int32_t places_for_ports() const { return std::max(wiring_.ports(), machine_.devices.dealt_as); }

  // Makes levels of equal switches. Each level is distributed evenly over the one above, and devices and NICs
  // over the lowest one.
  void deal(const std::vector<int>& levels) {
    constexpr std::size_t most_levels = 8;
    if (levels.size() > most_levels) {
      problems_.add(machine_.pcie->switches.place,
                    fmt::format("there are {} levels of switches", levels.size()),
                    fmt::format("write at most {} levels", most_levels));
      return;
    }
    std::vector<std::int32_t> above;
    for (int socket = 0; socket < wiring_.hosts_; ++socket) above.push_back(first_socket_ + socket);
    for (const int count : levels) {
      std::vector<std::int32_t> level;
      for (int index = 0; index < count; ++index) {
        const std::int32_t parent = above[at(dealt(index, count, narrow<int>(above.size())))];
        level.push_back(add_switch(parent, wiring_.parts_[at(parent)].host));
      }
      above = std::move(level);
    }
    const auto places = narrow<std::int32_t>(above.size());
    for (int port = 0; port < wiring_.ports(); ++port)
      above_device_[at(port)] = above[at(dealt(port, places_for_ports(), places))];
    const bool on_switches = !levels.empty() && machine_.nics &&
                             machine_.nics->attached.value_or(Attached::switches) == Attached::switches;
    for (int nic = 0; on_switches && nic < wiring_.nics_; ++nic)
      above_nic_[at(nic)] = above[at(dealt(nic, wiring_.nics_, places))];
  }

  // Makes a switch of a described tree and everything below it.
  void add_named(const Switch& content, std::int32_t above, std::int32_t socket) {
    if (above == no_part && socket >= wiring_.hosts_) {
      problems_.add(content.place,
                    fmt::format("there is no host {}: a machine has {}", socket, wiring_.hosts_),
                    "count hosts from 0");
      socket = 0;  // so that what is below the switch is not reported as well
    }
    const std::int32_t part = add_switch(above == no_part ? first_socket_ + socket : above, socket);
    name_below(content, content.devices, "device", part, above_device_);
    name_below(content, content.nics, "nic", part, above_nic_);
    for (const Switch& below : content.switches) add_named(below, part, socket);
  }

  // Records the switch above each listed device or NIC.
  void name_below(const Switch& content, const std::vector<int>& named, std::string_view noun,
                  std::int32_t part, std::vector<std::int32_t>& above) {
    for (const int index : named) {
      if (index >= narrow<int>(above.size())) {
        problems_.add(content.place,
                      fmt::format("there is no {} {}: a machine has {}", noun, index, above.size()),
                      "count from 0");
      } else if (above[at(index)] != no_part) {
        problems_.add(content.place, fmt::format("{} {} is below two switches", noun, index), "list it once");
      } else {
        above[at(index)] = part;
      }
    }
  }

  // ---- Devices and NICs on the tree

  // Attaches each device (or each chip, if cores are devices) to its switch or socket.
  void add_devices() {
    const bool is_cpu = machine_.devices.type.value.kind == device::Kind::cpu;
    for (int port = 0; port < wiring_.ports(); ++port) {
      const auto part = static_cast<std::int32_t>(wiring_.port(port));
      const std::int32_t above = above_device_[at(port)];
      const std::int32_t socket =
          above != no_part ? wiring_.parts_[at(above)].host : dealt(port, places_for_ports(), wiring_.hosts_);
      wiring_.parts_[at(part)].host = socket;
      if (is_cpu) {
        const Hosts& hosts = machine_.hosts;
        const BytesPerSecond memory = hosts.memory_bandwidth.value_or(hosts.type.value.memory_bandwidth);
        wiring_.connect(part, host(socket), {LinkKind::host_memory, memory, Seconds(0)},
                        machine_.devices.place);
      } else if (machine_.c2c) {
        wiring_.connect(part, first_socket_ + socket, LinkKind::nvlink, *machine_.c2c);
      } else if (machine_.pcie) {
        wiring_.connect(part, above != no_part ? above : first_socket_ + socket, LinkKind::pcie,
                        machine_.pcie->wire);
      }
    }
    if (wiring_.chips_ > 0) add_cores();
  }

  // The cores of a chip share its PCIe link.
  void add_cores() {
    for (int core = 0; core < wiring_.devices_; ++core) {
      const auto chip = static_cast<std::int32_t>(wiring_.port(wiring_.port_of(Point(core))));
      wiring_.parts_[at(core)].host = wiring_.parts_[at(chip)].host;
      wiring_.connect(core, chip, LinkKind::on_chip, *options_.on_chip);
    }
  }

  // A NIC without a switch above it is attached to a socket; these NICs are distributed evenly over the
  // sockets.
  void add_nics() {
    if (wiring_.nics_ > 0 && !machine_.pcie) {
      problems_.add(machine_.nics->wire.place, "the machine has NICs and no PCIe tree to attach them to",
                    "add \"pcie\" to the machine");
      return;
    }
    for (int nic = 0; nic < wiring_.nics_; ++nic) {
      const auto part = static_cast<std::int32_t>(wiring_.nic(nic));
      std::int32_t above = above_nic_[at(nic)];
      if (above == no_part) above = first_socket_ + dealt(nic, wiring_.nics_, wiring_.hosts_);
      wiring_.parts_[at(part)].host = wiring_.parts_[at(above)].host;
      wiring_.connect(part, above, LinkKind::pcie, machine_.pcie->wire);
    }
  }

  // Reports the first part without a path to host 0.
  bool everything_is_reached() {
    const std::vector<std::int32_t> by = Ways(wiring_.parts_.size(), wiring_.edges_).arrivals(host(0));
    for (std::int32_t part = 0; part < narrow<std::int32_t>(wiring_.parts_.size()); ++part) {
      if (part == host(0) || by[at(part)] != no_part) continue;
      if (any_problem()) return false;  // an earlier problem is the cause
      problems_.add(
          machine_.place,
          fmt::format("there is no route from {} to host 0", wiring_.name(wiring_.parts_[at(part)])),
          "add \"pcie\" or \"c2c\" to the machine");
      return false;
    }
    return !any_problem();
  }

  bool any_problem() const { return problems_.found().size() > problems_before_; }

  Wiring& wiring_;
  const MachineDescription& machine_;
  const Wiring::Options& options_;
  Problems& problems_;
  const std::size_t problems_before_ = problems_.found().size();
  std::int32_t first_socket_ = 0;
  std::int32_t switches_ = 0;
  std::vector<std::int32_t> above_device_{};  // the switch above each device (or chip), or no_part
  std::vector<std::int32_t> above_nic_{};     // the switch above each NIC, or no_part
};

bool wire_tree(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
               Problems& problems) {
  return WiringTree(wiring, machine, options, problems).build();
}

}  // namespace wt::platform
