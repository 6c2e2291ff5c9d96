#include "platform/topology.h"

#include <fmt/format.h>

namespace wt::platform {

namespace {

// The length for which a route reserves memory. Only grids have longer routes, and they reserve more
// themselves.
constexpr std::size_t usual_links = 12;

}  // namespace

Topology::Topology(Wiring wiring, MachineTypes types, std::int32_t machines, std::optional<Slice> slice,
                   std::unique_ptr<const Fabric> fabric, std::int32_t machines_of_a_fabric,
                   std::unique_ptr<const Fabric> network, Ratings ratings,
                   std::vector<Individual> individuals)
    : wiring_(std::move(wiring)),
      types_(std::move(types)),
      ratings_(std::move(ratings)),
      individuals_(std::move(individuals)),
      machines_(machines),
      slice_(std::move(slice)) {
  links_ = machines * wiring_.links();
  if (fabric) {
    fabric_ = {std::move(fabric), machines_of_a_fabric, machines / machines_of_a_fabric, LinkId(links_)};
    links_ += fabric_.copies * fabric_.fabric->links();
  }
  if (network) {
    network_ = {std::move(network), machines, 1, LinkId(links_)};
    links_ += network_.fabric->links();
  }
  find_adders();
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
  if (number < machines_ * wiring_.links()) return wiring_.link(number % wiring_.links());
  const Found found = find(link);
  return found.joint->fabric->link(found.link);
}

std::int32_t Topology::machine_of(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  return number < machines_ * wiring_.links() ? number / wiring_.links() : -1;
}

std::string Topology::name(const Spot& spot) const {
  if (!individuals_.empty())
    return individuals_[static_cast<std::size_t>(spot.machine)].name + "/" + wiring_.name(spot.point);
  return fmt::format("machine {}/{}", spot.machine, wiring_.name(spot.point));
}

std::string Topology::name(LinkId link) const {
  const auto number = static_cast<std::int32_t>(link);
  WT_EXPECT(number >= 0 && number < links_, "link {} of {}", number, links_);
  if (const std::int32_t machine = machine_of(link); machine >= 0) {
    const std::string inside = wiring_.name(number % wiring_.links());
    return individuals_.empty() ? fmt::format("machine {}/{}", machine, inside)
                                : individuals_[static_cast<std::size_t>(machine)].name + "/" + inside;
  }
  const Found found = find(link);
  const bool joins_devices = found.joint == &fabric_;
  const std::int32_t ports = joins_devices ? wiring_.ports() : wiring_.nics();
  return found.joint->fabric->name(found.link, [&](std::int32_t port) {
    const std::int32_t local = port % ports;
    return name(Spot{found.copy * found.joint->machines + port / ports,
                     joins_devices ? wiring_.port(local) : wiring_.nic(local)});
  });
}

// The links of a route of the wiring, with the numbers that they have in this machine.
void Topology::add_inside(std::int32_t machine, Point from, Point to, Trail& trail) const {
  if (from == to) return;
  const std::int32_t first = machine * wiring_.links();
  for (const std::int32_t link : wiring_.route(from, to)) trail.add(LinkId(first + link), wiring_.link(link));
}

// Whether both spots are devices of the same copy of the fabric.
bool Topology::is_joined(const Spot& from, const Spot& to) const {
  return has_fabric() && wiring_.is_device(from.point) && wiring_.is_device(to.point) &&
         copy_of(from.machine) == copy_of(to.machine);
}

// From device to port, over the fabric, and from port to device. Two cores of one chip share a port, and
// between them the fabric adds no link, because a torus has none from a port to itself.
void Topology::add_between_devices(const Spot& from, const Spot& to, Trail& trail) const {
  const std::int32_t first_machine = copy_of(from.machine) * fabric_.machines;
  const std::int32_t port_from = wiring_.port_of(from.point);
  const std::int32_t port_to = wiring_.port_of(to.point);
  add_inside(from.machine, from.point, wiring_.port(port_from), trail);
  const auto first =
      static_cast<std::int32_t>(fabric_.first) + copy_of(from.machine) * fabric_.fabric->links();
  fabric_.fabric->route((from.machine - first_machine) * wiring_.ports() + port_from,
                        (to.machine - first_machine) * wiring_.ports() + port_to, LinkId(first), trail);
  add_inside(to.machine, wiring_.port(port_to), to.point, trail);
}

// Without a network, hosts of different machines reach each other through the ports of their first devices.
void Topology::add_over_fabric(const Spot& from, const Spot& to, Trail& trail) const {
  const Spot first{from.machine, wiring_.device_of(from.point)};
  const Spot last{to.machine, wiring_.device_of(to.point)};
  add_inside(from.machine, from.point, first.point, trail);
  add_between_devices(first, last, trail);
  add_inside(to.machine, last.point, to.point, trail);
}

// The device near a NIC, if the NIC is not the one near `device` and NVLink joins the two devices. Data then
// goes through that device to the NIC, as with NCCL's PXN ("PCI x NVLink").
std::optional<Topology::Spot> Topology::by_nvlink(const Spot& device, std::int32_t nic) const {
  const std::int32_t near = wiring_.near_device(nic);
  const bool is_near = nic == wiring_.near_nic(device.point);
  if (is_near || near < 0 || !wiring_.is_device(device.point)) return std::nullopt;
  const Spot through{device.machine, wiring_.device(near)};
  if (is_joined(device, through) || wiring_.is_nvlink(device.point, through.point)) return through;
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
  add_inside(from.machine, through.value_or(from).point, wiring_.nic(nic), trail);
}

void Topology::add_from_nic(std::int32_t nic, const Spot& to, Trail& trail) const {
  const std::optional<Spot> through = by_nvlink(to, nic);
  add_inside(to.machine, wiring_.nic(nic), through.value_or(to).point, trail);
  if (through) add_neighbours(*through, to, trail);
}

// A flow leaves by a NIC near its source and enters by one near its destination. On rails it leaves by the
// NIC with the index of the destination's NIC, because only these two are on the same rail.
void Topology::add_over_network(const Spot& from, const Spot& to, Trail& trail) const {
  const std::int32_t nic_to = wiring_.near_nic(to.point);
  const std::int32_t nic_from = network_.fabric->keeps_rails() ? nic_to : wiring_.near_nic(from.point);
  add_to_nic(from, nic_from, trail);
  network_.fabric->route(from.machine * wiring_.nics() + nic_from, to.machine * wiring_.nics() + nic_to,
                         network_.first, trail);
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
