#pragma once
// In-network reduction: the switches of an InfiniBand network that add, as a tree over devices (SHARP; Graham
// and others, "Scalable hierarchical aggregation protocol", 2016). Each device sends to the leaf switch of
// its NIC, each leaf sends its sum to the root, a spine, and the result returns the same way.

#include <optional>
#include <span>
#include <vector>

#include "platform/platform.h"

namespace wt::platform {

struct SwitchTree {
  std::vector<Endpoint> leaves{};              // the leaf switches in use, ascending
  std::vector<std::int32_t> leaf_of_device{};  // for each device the index of its leaf in `leaves`
  std::optional<Endpoint> root{};              // the spine above the leaves; none: the only leaf is the root
};

struct TreeChoice {
  // The index of the NIC that every machine uses; none: each device uses its nearest NIC.
  std::optional<std::int32_t> rail{};
  std::int32_t spine = 0;  // the index of the root, modulo the number of spines
};

// None if no tree of switches that add joins the devices: the network is not InfiniBand, has three levels or
// more, or has no spine above several leaves, or the machines have no NIC with the index of the rail.
// Platform::route has the routes along the tree. Requires: every endpoint is a device.
std::optional<SwitchTree> adding_switches(const Platform& platform, std::span<const Endpoint> devices,
                                          const TreeChoice& choice = {});

}  // namespace wt::platform
