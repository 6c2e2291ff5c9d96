#include "platform/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace wt::platform {

namespace {

// The length for which a route reserves memory. Only grids have longer routes, and they reserve more
// themselves.
constexpr std::size_t usual_links = 12;

}  // namespace

Topology::Topology(std::vector<EqualMachines> groups, std::optional<Slice> slice,
                   std::unique_ptr<const Fabric> fabric, std::int32_t machines_of_a_fabric,
                   std::unique_ptr<const Fabric> network, std::vector<Individual> individuals)
    : individuals_(std::move(individuals)), slice_(std::move(slice)) {
  WT_EXPECT(groups.size() == 1 || (!groups.empty() && !fabric), "{} groups of machines", groups.size());
  for (EqualMachines& equal : groups) {
    const Group& group = groups_.emplace_back(Group{std::move(equal), end_});
    end_.machine += group.count;
    end_.device += group.count * group.wiring.devices();
    end_.host += group.count * group.wiring.hosts();
    end_.nic += group.count * group.wiring.nics();
    end_.link += group.count * group.wiring.links();
  }
  links_ = links_inside();
  if (fabric) {
    fabric_ = {std::move(fabric), machines_of_a_fabric, machines() / machines_of_a_fabric, LinkId(links_)};
    links_ += fabric_.copies * fabric_.fabric->links();
  }
  if (network) {
    network_ = {std::move(network), machines(), 1, LinkId(links_)};
    links_ += network_.fabric->links();
  }
  find_adders();
}

// Most platforms have one group, and none has many.
const Topology::Group& Topology::group_with(std::int32_t number, std::int32_t First::*part) const {
  if (groups_.size() == 1) return groups_.front();
  const auto is_before = [&](std::int32_t wanted, const Group& group) { return wanted < group.first.*part; };
  return *std::prev(std::upper_bound(groups_.begin(), groups_.end(), number, is_before));
}

std::int32_t Topology::group_of(std::int32_t machine) const {
  return static_cast<std::int32_t>(&group_at(machine) - groups_.data());
}

std::int32_t Topology::first_device_of(std::int32_t machine) const {
  const Group& group = group_at(machine);
  return group.first.device + (machine - group.first.machine) * group.wiring.devices();
}

std::int32_t Topology::first_host_of(std::int32_t machine) const {
  const Group& group = group_at(machine);
  return group.first.host + (machine - group.first.machine) * group.wiring.hosts();
}

std::int32_t Topology::first_link_of(std::int32_t machine) const {
  const Group& group = group_at(machine);
  return group.first.link + (machine - group.first.machine) * group.wiring.links();
}

// The port of the network to which a NIC is attached.
std::int32_t Topology::port_of_nic(std::int32_t machine, std::int32_t nic) const {
  const Group& group = group_at(machine);
  return group.first.nic + (machine - group.first.machine) * group.wiring.nics() + nic;
}

Topology::Spot Topology::spot_of_device(std::int32_t device) const {
  const Group& group = group_with(device, &First::device);
  const std::int32_t number = device - group.first.device, each = group.wiring.devices();
  return {group.first.machine + number / each, group.wiring.device(number % each)};
}

Topology::Spot Topology::spot_of_host(std::int32_t host) const {
  const Group& group = group_with(host, &First::host);
  const std::int32_t number = host - group.first.host, each = group.wiring.hosts();
  return {group.first.machine + number / each, group.wiring.host(number % each)};
}

Topology::Spot Topology::spot_of_nic(std::int32_t port) const {
  const Group& group = group_with(port, &First::nic);
  const std::int32_t number = port - group.first.nic, each = group.wiring.nics();
  return {group.first.machine + number / each, group.wiring.nic(number % each)};
}

Topology::Found Topology::find(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  const bool is_network = network_.fabric != nullptr && number >= static_cast<std::int32_t>(network_.first);
  const Joint& joint = is_network ? network_ : fabric_;
  const std::int32_t offset = number - static_cast<std::int32_t>(joint.first);
  return {&joint, offset / joint.fabric->links(), offset % joint.fabric->links()};
}

const Link& Topology::link(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  WT_EXPECT(number >= 0 && number < links_, "link {} of {}", number, links_);
  if (number < links_inside()) {
    const Group& group = group_with(number, &First::link);
    return group.wiring.link((number - group.first.link) % group.wiring.links());
  }
  const Found found = find(link);
  return found.joint->fabric->link(found.link);
}

std::int32_t Topology::machine_of(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  if (number >= links_inside()) return -1;
  const Group& group = group_with(number, &First::link);
  return group.first.machine + (number - group.first.link) / group.wiring.links();
}

std::string Topology::name_of_machine(std::int32_t machine) const {
  return individuals_.empty() ? fmt::format("machine {}", machine)
                              : individuals_[static_cast<std::size_t>(machine)].name;
}

std::string Topology::name(const Spot& spot) const {
  return name_of_machine(spot.machine) + "/" + wiring(spot.machine).name(spot.point);
}

std::string Topology::name(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  WT_EXPECT(number >= 0 && number < links_, "link {} of {}", number, links_);
  if (const std::int32_t machine = machine_of(link); machine >= 0)
    return name_of_machine(machine) + "/" + wiring(machine).name(number - first_link_of(machine));
  const Found found = find(link);
  return found.joint->fabric->name(found.link, [&](std::int32_t port) {
    if (found.joint == &network_) return name(spot_of_nic(port));
    const Wiring& wiring = groups_.front().wiring;
    return name(
        Spot{found.copy * fabric_.machines + port / wiring.ports(), wiring.port(port % wiring.ports())});
  });
}

// The links of a route of the wiring, with the numbers that they have in this machine.
void Topology::add_inside(std::int32_t machine, Point from, Point to, Trail& trail) const {
  if (from == to) return;
  const Wiring& wiring = this->wiring(machine);
  const std::int32_t first = first_link_of(machine);
  for (const std::int32_t link : wiring.route(from, to)) trail.add(LinkId(first + link), wiring.link(link));
}

// Whether both spots are devices of the same copy of the fabric.
bool Topology::is_joined(const Spot& from, const Spot& to) const {
  return has_fabric() && wiring(from.machine).is_device(from.point) &&
         wiring(to.machine).is_device(to.point) && copy_of(from.machine) == copy_of(to.machine);
}

// From device to port, over the fabric, and from port to device. Two cores of one chip share a port, and
// between them the fabric adds no link, because a torus has none from a port to itself.
void Topology::add_between_devices(const Spot& from, const Spot& to, Trail& trail) const {
  const Wiring& wiring = groups_.front().wiring;
  const std::int32_t first_machine = copy_of(from.machine) * fabric_.machines;
  const std::int32_t port_from = wiring.port_of(from.point);
  const std::int32_t port_to = wiring.port_of(to.point);
  add_inside(from.machine, from.point, wiring.port(port_from), trail);
  const auto first =
      static_cast<std::int32_t>(fabric_.first) + copy_of(from.machine) * fabric_.fabric->links();
  fabric_.fabric->route((from.machine - first_machine) * wiring.ports() + port_from,
                        (to.machine - first_machine) * wiring.ports() + port_to, LinkId(first), trail);
  add_inside(to.machine, wiring.port(port_to), to.point, trail);
}

// Without a network, hosts of different machines reach each other through the ports of their first devices.
void Topology::add_over_fabric(const Spot& from, const Spot& to, Trail& trail) const {
  const Spot first{from.machine, wiring(from.machine).device_of(from.point)};
  const Spot last{to.machine, wiring(to.machine).device_of(to.point)};
  add_inside(from.machine, from.point, first.point, trail);
  add_between_devices(first, last, trail);
  add_inside(to.machine, last.point, to.point, trail);
}

// The device near a NIC, if the NIC is not the one near `device` and NVLink joins the two devices. Data then
// goes through that device to the NIC, as with NCCL's PXN ("PCI x NVLink").
std::optional<Topology::Spot> Topology::by_nvlink(const Spot& device, std::int32_t nic) const {
  const Wiring& wiring = this->wiring(device.machine);
  const std::int32_t near = wiring.near_device(nic);
  const bool is_near = nic == wiring.near_nic(device.point);
  if (is_near || near < 0 || !wiring.is_device(device.point)) return std::nullopt;
  const Spot through{device.machine, wiring.device(near)};
  if (is_joined(device, through) || wiring.is_nvlink(device.point, through.point)) return through;
  return std::nullopt;
}

// Between two devices of one machine.
void Topology::add_neighbours(const Spot& from, const Spot& to, Trail& trail) const {
  if (is_joined(from, to))
    add_between_devices(from, to, trail);
  else
    add_inside(from.machine, from.point, to.point, trail);
}

// To a NIC of the same machine, directly or through the device near the NIC.
void Topology::add_to_nic(const Spot& from, std::int32_t nic, Trail& trail) const {
  const std::optional<Spot> through = by_nvlink(from, nic);
  if (through) add_neighbours(from, *through, trail);
  add_inside(from.machine, through.value_or(from).point, wiring(from.machine).nic(nic), trail);
}

void Topology::add_from_nic(std::int32_t nic, const Spot& to, Trail& trail) const {
  const std::optional<Spot> through = by_nvlink(to, nic);
  add_inside(to.machine, wiring(to.machine).nic(nic), through.value_or(to).point, trail);
  if (through) add_neighbours(*through, to, trail);
}

// A flow leaves by a NIC near its source and enters by one near its destination. On rails it leaves by the
// NIC with the index of the destination's NIC, because only these two are on the same rail.
void Topology::add_over_network(const Spot& from, const Spot& to, Trail& trail) const {
  const std::int32_t nic_to = wiring(to.machine).near_nic(to.point);
  const std::int32_t nic_from =
      network_.fabric->keeps_rails() ? nic_to : wiring(from.machine).near_nic(from.point);
  add_to_nic(from, nic_from, trail);
  network_.fabric->route(port_of_nic(from.machine, nic_from), port_of_nic(to.machine, nic_to), network_.first,
                         trail);
  add_from_nic(nic_to, to, trail);
}

Route Topology::route(const Spot& from, const Spot& to) const {
  Trail trail;
  if (from == to) return {};
  trail.reserve(usual_links);
  if (is_joined(from, to)) {
    add_between_devices(from, to, trail);
  } else if (from.machine == to.machine) {
    add_inside(from.machine, from.point, to.point, trail);
  } else if (has_network()) {
    add_over_network(from, to, trail);
  } else if (has_fabric() && copy_of(from.machine) == copy_of(to.machine)) {
    add_over_fabric(from, to, trail);
  }
  return std::move(trail).route();
}

}  // namespace wt::platform
