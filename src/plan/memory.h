#pragma once
// Plans the memory of a step before anything runs, by TensorFlow's own allocation algorithm, so that a step
// that would run out of memory on the described device is known in advance. plan/memory_report.h presents the
// result.

#include <array>
#include <vector>

#include "plan/order.h"

namespace wt::plan {

// The granularity of TensorFlow's allocator, 256 bytes, which this planning uses, too.
inline constexpr std::int64_t address_granule = device::allocation_granule.count();

// Gives every buffer its address. Each device's allocator (device/allocator.h) first places the buffers that
// outlive the step. Then the nodes are visited in the order of their ids, and every other buffer is allocated
// at its first access and freed after its last. A node whose buffer takes over addresses of an earlier buffer
// gets a dependency on the last accesses to that earlier buffer. These reuse edges make every legal order
// compute the same values. The function also sets the arenas and the allocator statistics of the devices.
//
// If a buffer does not fit, plan.out_of_memory is set and the planning ends. Later buffers then have no
// address.
//
// Requires: the dependencies come from order_accesses, and `last` is what it returned.
void plan_memory(Plan& plan, const std::vector<Frontier>& last);

// Whether a buffer lies in the memory of the framework. What arrives for a sum lies in that of the library, which takes
// it once for all steps and beside the framework's allocator (NCCL: some MiB for each channel); a plan that plays all
// messages has addresses for it, and one with whole collectives doesn't know it.
bool is_stored(const Buffer& buffer);

// The bytes that a stored buffer takes in the memory of its device. A device that rounds activations stores float32 numbers
// between kernels in 16 bits, unless the model itself says which numbers have 16 bits (mixed precision). The numbers
// that this machine computes have 32 bits all the same.
Bytes stored(const Plan& plan, const Buffer& buffer);

// The node during which a device holds the most bytes; the first one among equals. In a plan that ran out of
// memory, only the nodes before the failed allocation count.
struct Peak {
  std::optional<NodeId> node{};  // absent: only buffers that outlive the step are held
  std::vector<BufferId> held{};
  Bytes bytes{};  // sum over `held`, each rounded up to the allocator's granule
};
std::vector<Peak> peaks_of(const Plan& plan);  // by device

// What a device holds while a node runs, by kind of stored buffer.
inline constexpr std::size_t buffer_kinds = 9;
struct HeldMoment {
  std::size_t node = 0;
  std::array<Bytes, buffer_kinds> by_kind{};  // each buffer rounded up to the allocator's granule
  Bytes sum() const;
};
// The course of a device's memory over a step, in the order of the plan: the nodes at which it changes. Its highest
// sum is that of peaks_of().
std::vector<HeldMoment> held_over_step(const Plan& plan, DeviceId device);

// A lower bound on a device's memory that holds for every choice of addresses: the largest sum of the buffers
// that are live at the same time.
Bytes live_bytes_bound(const Plan& plan, DeviceId device);

}  // namespace wt::plan
