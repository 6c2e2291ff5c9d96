#pragma once
// Devices as groups, and how fast anything can leave or enter one: what bounds are made of.

#include <span>
#include <vector>

#include "platform/platform.h"

namespace wt::platform {

// Both rates are of a cut: links of which every route between the group and the others takes at least one,
// chosen so that they carry little. No schedule passes more through it.
struct Group {
  std::vector<Endpoint> members{};
  BytesPerSecond out{};
  BytesPerSecond in{};
};

// Each device a group, each machine's devices, or those that one fabric joins (a TPU slice, an NVL72; else a machine).
// `others` take part and belong to no group, as parameter servers do. Asks for a route between all pairs. Requires: none
// stands in a list twice.
std::vector<Group> groups_by_device(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others = {});
std::vector<Group> groups_by_machine(const Platform& platform, std::span<const Endpoint> devices,
                                     std::span<const Endpoint> others = {});
std::vector<Group> groups_by_fabric(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others = {});

}  // namespace wt::platform
