#pragma once

#include <map>
#include <vector>

#include "plan/order.h"

namespace wt::plan {

// TensorFlow's allocator hands out multiples of 256 bytes; so do we.
inline constexpr std::int64_t address_granule = device::allocation_granule.count();

// Gives every buffer its address before anything runs, in canonical order: each device's allocator
// (device/allocator.h) first gets what outlives the step, then each buffer from its first access to its last.
// A node that takes over the place of an earlier buffer waits for that buffer's last accesses: these reuse
// edges are what keeps every legal order right. Sets the devices' arenas and statistics.
//
// A buffer that finds no place sets plan.out_of_memory and ends the planning: later buffers have no address.
//
// Requires: dependencies from order_accesses, and the frontiers it returned.
void plan_memory(Plan& plan, const std::vector<Frontier>& last);

// The moment when a device holds most: the first of equals. In a plan that ran out of memory, among the nodes
// before that.
struct Peak {
  std::optional<NodeId> node{};  // none: nothing but what outlives the step
  std::vector<BufferId> held{};
  Bytes bytes{};  // of them, each rounded as the allocator does
};
Peak peak_of(const Plan& plan, DeviceId device);

// What is held at the peak, by kind.
std::map<BufferKind, Bytes> held_at_peak(const Plan& plan, DeviceId device);

// What a device needs at least, whatever the addresses: the largest sum of buffers that live at the same
// time.
Bytes live_bytes_bound(const Plan& plan, DeviceId device);

}  // namespace wt::plan
