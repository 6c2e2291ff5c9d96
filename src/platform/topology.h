#pragma once
// Machines and what joins them: equal copies of one wiring, a fabric that joins devices, a network that joins
// NICs. Links are numbered machine by machine, then those of the fabric, copy by copy, then those of the
// network.

#include <memory>
#include <optional>
#include <vector>

#include "platform/fabric.h"
#include "platform/slice.h"
#include "platform/wiring.h"

namespace wt::platform {

struct MachineTypes {
  device::DeviceType device{};
  device::DeviceType host{};
};

// A machine that has a name and types of its own, though it is wired as all are.
struct Individual {
  std::string name{};
  std::shared_ptr<const MachineTypes> types{};
};

class Topology {
 public:
  // Equal fabrics, each over so many machines in order.
  struct Joint {
    std::unique_ptr<const Fabric> fabric{};
    std::int32_t machines = 0;
    std::int32_t copies = 1;
    LinkId first{};
  };

  Topology(Wiring wiring, MachineTypes types, std::int32_t machines, std::optional<Slice> slice,
           std::unique_ptr<const Fabric> fabric, std::int32_t machines_of_a_fabric,
           std::unique_ptr<const Fabric> network, std::vector<Individual> individuals = {});

  const Wiring& wiring() const { return wiring_; }
  const MachineTypes& types(std::int32_t machine) const {
    return individuals_.empty() ? types_ : *individuals_[static_cast<std::size_t>(machine)].types;
  }
  std::int32_t machines() const { return machines_; }
  std::int32_t links() const { return links_; }
  const std::optional<Slice>& slice() const { return slice_; }
  bool has_network() const { return network_.fabric != nullptr; }
  bool has_fabric() const { return fabric_.fabric != nullptr; }

  const Link& link(LinkId link) const;
  std::string name(LinkId link) const;
  std::int32_t machine_of(LinkId link) const;  // -1: it is between machines

  // Of a machine.
  struct Spot {
    std::int32_t machine = 0;
    Point point{};
    friend bool operator==(const Spot&, const Spot&) = default;
  };
  // An empty route where nothing leads.
  Route route(const Spot& from, const Spot& to) const;
  std::string name(const Spot& spot) const;

 private:
  std::int32_t copy_of(std::int32_t machine) const { return machine / fabric_.machines; }
  void add_inside(std::int32_t machine, Point from, Point to, Trail& trail) const;
  void add_between_devices(const Spot& from, const Spot& to, Trail& trail) const;
  void add_over_fabric(const Spot& from, const Spot& to, Trail& trail) const;
  void add_over_network(const Spot& from, const Spot& to, Trail& trail) const;
  bool is_joined(const Spot& from, const Spot& to) const;
  // Which fabric a link is of, and its number there.
  struct Found {
    const Joint* joint = nullptr;
    std::int32_t copy = 0;
    std::int32_t link = 0;
  };
  Found find(LinkId link) const;

  Wiring wiring_;
  MachineTypes types_;
  std::vector<Individual> individuals_;  // of each machine, or none
  std::int32_t machines_;
  std::optional<Slice> slice_;
  Joint fabric_{};
  Joint network_{};
  std::int32_t links_ = 0;
};

}  // namespace wt::platform
