// Switches that add and multicast (adders), and the routes to them, which are the first and the last links of
// the routes between devices.

#include <fmt/format.h>

#include <algorithm>

#include "platform/switches.h"
#include "platform/topology.h"

namespace wt::platform {

namespace {

// NVSwitches of the third generation on come with GPUs of this compute capability (NCCL 2.30.7,
// transport/nvls.cc).
constexpr device::ComputeCapability first_with_adding_switch{9, 0};

}  // namespace

// Whether the fabric is one NVLink switch (an NVL72), which can add.
bool Topology::is_adding_fabric() const {
  const auto* switches = dynamic_cast<const SwitchFabric*>(fabric_.fabric.get());
  return switches != nullptr && groups_.front().ratings.fabric == FabricKind::nvlink &&
         switches->leaves() == 1;
}

// Counts the adders: an NVLink switch inside each machine or for each copy of the fabric, and the switches of
// an InfiniBand network of one or two levels. A network that joins other NICs, too, is not taken for one.
void Topology::find_adders() {
  for (Group& group : groups_) {
    group.first.adder = adders_.nvlink;
    if (!(group.types.device.compute_capability >= first_with_adding_switch)) continue;
    group.has_adders = is_adding_fabric() || group.wiring.up_to_switch(group.wiring.device(0)) >= 0;
    if (group.has_adders) adders_.nvlink += is_adding_fabric() ? fabric_.copies : group.count;
  }
  const auto has_infiniband = [](const Group& group) {
    return group.ratings.nic_type == NicType::infiniband;
  };
  if (!std::ranges::all_of(groups_, has_infiniband)) return;
  tree_ = dynamic_cast<const SwitchFabric*>(network_.fabric.get());
  if (tree_ == nullptr) return;
  adders_.leaves = tree_->leaves();
  adders_.spines = tree_->spines();
}

std::int32_t Topology::nvlink_adder_of(std::int32_t machine) const {
  const Group& group = group_at(machine);
  if (!group.has_adders) return -1;
  return has_fabric() ? copy_of(machine) : group.first.adder + machine - group.first.machine;
}

std::int32_t Topology::machine_of_adder(std::int32_t adder) const {
  if (adder >= adders_.nvlink || has_fabric()) return -1;
  for (const Group& group : groups_)
    if (group.has_adders && adder < group.first.adder + group.count)
      return group.first.machine + adder - group.first.adder;
  return -1;
}

std::string Topology::name_of_adder(std::int32_t adder) const {
  if (adder >= adders_.nvlink + adders_.leaves)
    return tree_->spine_name(adder - adders_.nvlink - adders_.leaves);
  if (adder >= adders_.nvlink) return tree_->leaf_name(adder - adders_.nvlink);
  if (const std::int32_t machine = machine_of_adder(adder); machine >= 0)
    return fmt::format("machine {}/{}", machine, wiring(machine).nvlink_switch_name());
  return fabric_.copies == 1 ? "nvswitch" : fmt::format("nvswitch {}", adder);
}

std::int32_t Topology::leaf_at(std::int32_t machine, std::int32_t nic) const {
  return adders_.nvlink + tree_->leaf_of(port_of_nic(machine, nic));
}

// The NIC by which a spot reaches a leaf: its near NIC if that is attached to the leaf, else the first NIC of
// the machine that is. -1: none.
std::int32_t Topology::nic_at(const Spot& spot, std::int32_t leaf) const {
  const Wiring& wiring = this->wiring(spot.machine);
  const std::int32_t near = wiring.near_nic(spot.point);
  if (leaf_at(spot.machine, near) == leaf) return near;
  for (std::int32_t nic = 0; nic < wiring.nics(); ++nic)
    if (leaf_at(spot.machine, nic) == leaf) return nic;
  return -1;
}

// The link from a device up to the NVLink switch that adds, or the link back down.
LinkId Topology::link_to_nvlink(const Spot& device, bool is_up) const {
  const std::int32_t down = is_up ? 0 : 1;
  const Wiring& wiring = this->wiring(device.machine);
  if (!has_fabric()) return LinkId(first_link_of(device.machine) + wiring.up_to_switch(device.point) + down);
  const std::int32_t copy = copy_of(device.machine);
  const std::int32_t port =
      (device.machine - copy * fabric_.machines) * wiring.ports() + wiring.port_of(device.point);
  const auto& switches = static_cast<const SwitchFabric&>(*fabric_.fabric);
  return LinkId(static_cast<std::int32_t>(fabric_.first) + copy * switches.links() +
                switches.up_from_port(port) + down);
}

Route Topology::route_to_adder(const Spot& from, std::int32_t adder) const {
  Trail trail;
  if (adder < adders_.nvlink) {
    if (wiring(from.machine).is_device(from.point) && nvlink_adder_of(from.machine) == adder)
      add_link(link_to_nvlink(from, true), trail);
  } else if (adder < adders_.nvlink + adders_.leaves) {
    const std::int32_t nic = nic_at(from, adder);
    if (nic < 0) return {};
    add_to_nic(from, nic, trail);
    add_link(link_of_network(tree_->up_from_port(port_of_nic(from.machine, nic))), trail);
  }
  return std::move(trail).route();
}

Route Topology::route_from_adder(std::int32_t adder, const Spot& to) const {
  Trail trail;
  if (adder < adders_.nvlink) {
    if (wiring(to.machine).is_device(to.point) && nvlink_adder_of(to.machine) == adder)
      add_link(link_to_nvlink(to, false), trail);
  } else if (adder < adders_.nvlink + adders_.leaves) {
    const std::int32_t nic = nic_at(to, adder);
    if (nic < 0) return {};
    add_link(link_of_network(tree_->up_from_port(port_of_nic(to.machine, nic)) + 1), trail);
    add_from_nic(nic, to, trail);
  }
  return std::move(trail).route();
}

// Between a leaf and a spine. No link joins any other two adders.
Route Topology::route_between_adders(std::int32_t from, std::int32_t to) const {
  const bool is_up = from < to;
  const std::int32_t leaf = std::min(from, to) - adders_.nvlink;
  const std::int32_t spine = std::max(from, to) - adders_.nvlink - adders_.leaves;
  if (leaf < 0 || leaf >= adders_.leaves || spine < 0) return {};
  Trail trail;
  add_link(link_of_network(tree_->up_from_leaf(leaf, spine) + (is_up ? 0 : 1)), trail);
  return std::move(trail).route();
}

}  // namespace wt::platform
