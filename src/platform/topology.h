#pragma once
// All machines of a platform and what joins them: groups of equal copies of one wiring each
// (platform/wiring.h), a fabric that joins the devices of several machines, and a network that joins the NICs.
// An NVL72 cluster of 36 trays, for example, is one group of 36 copies of the wiring of a tray, two copies of an
// NVLink fabric that joins 18 trays each, and one network. Eight DGX-1 with three servers are two groups and a
// network.
//
// Parts are numbered group by group and in each group machine by machine. Links inside machines come first, then
// those of the fabrics, copy by copy, then those of the network:
//
//   link = first link of the group + machine of the group * wiring.links() + link of the wiring
//   link = first link of the fabrics + copy * fabric.links() + link of the fabric           between machines
//
// so neither links nor routes are stored for each machine. platform/platform.h is the interface for other
// folders.

#include <memory>
#include <optional>
#include <vector>

#include "platform/fabric.h"
#include "platform/slice.h"
#include "platform/wiring.h"

namespace wt::platform {

// The device type of all devices of a machine, and the CPU of its hosts.
struct MachineTypes {
  device::DeviceType device{};
  device::DeviceType host{};
};

// Line rates as the file states them, before the share that payload gets. Summaries report them.
struct Ratings {
  std::optional<Wire> between_devices{};  // one NVLink or xGMI connection, or one port of the fabric
  std::optional<FabricKind> fabric{};     // none: no fabric, or the links of a SimGrid platform
  std::optional<Wire> nic{};
  NicType nic_type{};
};

// Equal machines, which follow each other.
struct EqualMachines {
  Wiring wiring;
  MachineTypes types{};
  Ratings ratings{};
  std::int32_t count = 1;
};

// The name and the types of one machine, if they differ from machine to machine (SimGrid's hosts). The wiring
// is the same for all machines.
struct Individual {
  std::string name{};
  std::shared_ptr<const MachineTypes> types{};
};

// The numbers of switches that add and multicast (adders), in the order of their endpoints.
struct Adders {
  std::int32_t nvlink = 0;  // one for each machine that has one, or for each copy of the fabric
  std::int32_t leaves = 0;  // of the network
  std::int32_t spines = 0;
  std::int32_t count() const { return nvlink + leaves + spines; }
};

class SwitchFabric;

class Topology {
 public:
  // Equal copies of a fabric. Copy 0 joins the first `machines` machines, copy 1 the next ones, and so on.
  struct Joint {
    std::unique_ptr<const Fabric> fabric{};
    std::int32_t machines = 0;
    std::int32_t copies = 1;
    LinkId first{};  // the first link of copy 0
  };

  // The fabric and the network may be null. Requires: at least one group; a single group if there is a fabric,
  // whose number of machines is a multiple of machines_of_a_fabric.
  Topology(std::vector<EqualMachines> groups, std::optional<Slice> slice,
           std::unique_ptr<const Fabric> fabric, std::int32_t machines_of_a_fabric,
           std::unique_ptr<const Fabric> network, std::vector<Individual> individuals = {});

  const Wiring& wiring(std::int32_t machine) const { return group_at(machine).wiring; }
  const MachineTypes& types(std::int32_t machine) const {
    return individuals_.empty() ? group_at(machine).types
                                : *individuals_[static_cast<std::size_t>(machine)].types;
  }
  const Ratings& ratings(std::int32_t machine) const { return group_at(machine).ratings; }
  std::int32_t group_of(std::int32_t machine) const;
  std::int32_t machines() const { return end_.machine; }
  std::int32_t devices() const { return end_.device; }
  std::int32_t hosts() const { return end_.host; }
  std::int32_t links() const { return links_; }
  std::int32_t first_device_of(std::int32_t machine) const;
  std::int32_t first_host_of(std::int32_t machine) const;
  const std::optional<Slice>& slice() const { return slice_; }
  bool has_network() const { return network_.fabric != nullptr; }
  bool has_fabric() const { return fabric_.fabric != nullptr; }
  const Fabric& fabric() const { return *fabric_.fabric; }  // Requires: has_fabric().
  // Whether equal machines may be exchanged with each other: the fabrics between them are uniform.
  bool is_uniform() const {
    return individuals_.empty() && (!has_fabric() || fabric_.fabric->is_uniform()) &&
           (!has_network() || network_.fabric->is_uniform());
  }
  // The copy of the fabric that joins this machine. Requires: has_fabric().
  std::int32_t copy_of(std::int32_t machine) const { return machine / fabric_.machines; }

  const Link& link(LinkId link) const;
  std::string name(LinkId link) const;
  std::int32_t machine_of(LinkId link) const;  // -1: the link lies between machines

  // A point of a machine: one of its devices, hosts or NICs.
  struct Spot {
    std::int32_t machine = 0;
    Point point{};
    friend bool operator==(const Spot&, const Spot&) = default;
  };
  Spot spot_of_device(std::int32_t device) const;
  Spot spot_of_host(std::int32_t host) const;
  // By the fabric if both spots are devices that it joins, else by the wiring inside a machine, else by the
  // network, else by the fabric's ports of the hosts' first devices. Empty if none of these joins them.
  Route route(const Spot& from, const Spot& to) const;
  std::string name(const Spot& spot) const;

  // Switches that add, by their number from 0 to adders().count() - 1; topology_adders.cpp.
  const Adders& adders() const { return adders_; }
  std::int32_t nvlink_adder_of(std::int32_t machine) const;  // -1: none
  std::int32_t machine_of_adder(std::int32_t adder) const;   // -1: the switch lies between machines
  std::string name_of_adder(std::int32_t adder) const;
  // The leaf switch to which a NIC is attached. Requires: adders().leaves > 0.
  std::int32_t leaf_at(std::int32_t machine, std::int32_t nic) const;
  // Empty if the spot or the other switch is not attached to this switch.
  Route route_to_adder(const Spot& from, std::int32_t adder) const;
  Route route_from_adder(std::int32_t adder, const Spot& to) const;
  Route route_between_adders(std::int32_t from, std::int32_t to) const;

 private:
  void add_inside(std::int32_t machine, Point from, Point to, Trail& trail) const;
  void add_between_devices(const Spot& from, const Spot& to, Trail& trail) const;
  void add_over_fabric(const Spot& from, const Spot& to, Trail& trail) const;
  void add_over_network(const Spot& from, const Spot& to, Trail& trail) const;
  void add_to_nic(const Spot& from, std::int32_t nic, Trail& trail) const;
  void add_from_nic(std::int32_t nic, const Spot& to, Trail& trail) const;
  std::optional<Spot> by_nvlink(const Spot& device, std::int32_t nic) const;
  void add_neighbours(const Spot& from, const Spot& to, Trail& trail) const;
  void find_adders();
  bool is_adding_fabric() const;
  std::int32_t nic_at(const Spot& spot, std::int32_t leaf) const;
  // Where the numbers of a group's parts begin, or where those of all groups end.
  struct First {
    std::int32_t machine = 0;
    std::int32_t device = 0;
    std::int32_t host = 0;
    std::int32_t nic = 0;
    std::int32_t link = 0;
    std::int32_t adder = 0;  // NVLink switch of a machine that adds
  };
  struct Group : EqualMachines {
    First first{};
    bool has_adders = false;
  };
  // The group that has the part with this number.
  const Group& group_with(std::int32_t number, std::int32_t First::*part) const;
  const Group& group_at(std::int32_t machine) const { return group_with(machine, &First::machine); }
  std::int32_t first_link_of(std::int32_t machine) const;
  std::int32_t port_of_nic(std::int32_t machine, std::int32_t nic) const;
  Spot spot_of_nic(std::int32_t port) const;
  std::string name_of_machine(std::int32_t machine) const;
  std::int32_t links_inside() const { return end_.link; }
  void add_link(LinkId link, Trail& trail) const { trail.add(link, this->link(link)); }
  LinkId link_to_nvlink(const Spot& device, bool is_up) const;
  LinkId link_of_network(std::int32_t link) const {
    return LinkId(static_cast<std::int32_t>(network_.first) + link);
  }
  bool is_joined(const Spot& from, const Spot& to) const;
  // The fabric to which a link between machines belongs, and its number there.
  struct Found {
    const Joint* joint = nullptr;
    std::int32_t copy = 0;
    std::int32_t link = 0;
  };
  Found find(LinkId link) const;

  std::vector<Group> groups_{};
  First end_{};
  std::vector<Individual> individuals_;  // one for each machine, or empty if all machines are equal
  std::optional<Slice> slice_;
  Joint fabric_{};
  Joint network_{};
  std::int32_t links_ = 0;
  Adders adders_{};
  const SwitchFabric* tree_ = nullptr;  // the network if its switches add
};

}  // namespace wt::platform
