#include "platform/switch_tree.h"

#include <algorithm>

#include "platform/topology.h"

namespace wt::platform {

std::optional<SwitchTree> adding_switches(const Platform& platform, std::span<const Endpoint> devices,
                                          const TreeChoice& choice) {
  const Topology& topology = platform.topology();
  const Adders& adders = topology.adders();
  if (adders.leaves == 0 || devices.empty()) return std::nullopt;
  WT_EXPECT(choice.spine >= 0, "spine {} is negative", choice.spine);

  std::vector<Endpoint> leaves;  // the leaf of each device, with repetitions
  for (const Endpoint device : devices) {
    WT_EXPECT(platform.is_device(device), "endpoint {} is not a device", index(device));
    const Topology::Spot spot = topology.spot_of_device(static_cast<std::int32_t>(device));
    const Wiring& wiring = topology.wiring(spot.machine);
    if (choice.rail && (*choice.rail < 0 || *choice.rail >= wiring.nics())) return std::nullopt;
    const std::int32_t nic = choice.rail.value_or(wiring.near_nic(spot.point));
    leaves.push_back(platform.switch_at(topology.leaf_at(spot.machine, nic)));
  }
  SwitchTree tree{.leaves = leaves};
  std::ranges::sort(tree.leaves);
  tree.leaves.erase(std::unique(tree.leaves.begin(), tree.leaves.end()), tree.leaves.end());
  for (const Endpoint leaf : leaves)
    tree.leaf_of_device.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(tree.leaves, leaf) - tree.leaves.begin()));
  if (tree.leaves.size() == 1) return tree;
  if (adders.spines == 0) return std::nullopt;  // rails without spines
  tree.root = platform.switch_at(adders.nvlink + adders.leaves + choice.spine % adders.spines);
  return tree;
}

}  // namespace wt::platform
