#pragma once
// Groups of devices, and the rate at which data can leave or enter each group. Lower bounds on the time of a
// collective are computed from these rates: if a group of machine 0's devices must receive 1 GB and at most
// 50 GB/s can enter the machine, no algorithm takes less than 20 ms.

#include <span>
#include <vector>

#include "platform/platform.h"

namespace wt::platform {

// A rate is the capacity of a cut: a set of links such that every route between the group and the other
// endpoints crosses at least one of them. Several cuts are tried (group.cpp), and the lowest capacity is
// kept, so that no schedule can exceed it. The rates are infinite if there are no other endpoints.
struct Group {
  std::vector<Endpoint> members{};
  BytesPerSecond out{};
  BytesPerSecond in{};
};

// Partitions `devices` into one group for each device, for each machine, or for each fabric that joins the
// devices of several machines (a TPU slice, an NVL72); without a fabric the third function groups by machine,
// too. `others` are endpoints that exchange data with the groups and belong to none, such as parameter
// servers.
// The functions compute the routes between all pairs. Requires: no endpoint is in a list twice.
std::vector<Group> groups_by_device(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others = {});
std::vector<Group> groups_by_machine(const Platform& platform, std::span<const Endpoint> devices,
                                     std::span<const Endpoint> others = {});
std::vector<Group> groups_by_fabric(const Platform& platform, std::span<const Endpoint> devices,
                                    std::span<const Endpoint> others = {});

}  // namespace wt::platform
