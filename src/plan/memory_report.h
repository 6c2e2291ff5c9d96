#pragma once
// The result of plan_memory for people and for JSON: the bytes that a step holds on each device, whether they
// fit, and if not, which buffers occupied the memory.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/type.h"
#include "plan/memory.h"

namespace wt::plan {

// The physical memory behind a plan's device. If a physical device is cut into several logical ones, `memory`
// is what the limits of the other ones leave.
struct Capacity {
  Bytes memory{};
  device::Reserve reserve{};  // memory that the driver and the libraries need
};

enum class Verdict : std::uint8_t { fits, tight, does_not_fit };
std::string_view name(Verdict verdict);  // "does_not_fit"

// Compares a need with a capacity. The constants of the reserve were measured with other drivers and
// libraries than the user's, so they are assumed to be right within 50 %. A need that fits beside 1.5 times
// the reserve `fits`; a need that does not fit beside 0.5 times the reserve `does_not_fit`; everything
// between is `tight`.
Verdict judge(Bytes needed, const Capacity& capacity);

// A buffer that is live at the moment of interest.
struct HeldBuffer {
  std::string name{};
  BufferKind kind{};
  Bytes bytes{};
};

// Buffers that are live at the same time.
struct Holdings {
  std::map<BufferKind, Bytes> by_kind{};
  std::vector<HeldBuffer> largest{};  // the ten largest in descending order; equal ones by id
  std::size_t count = 0;              // number of all the buffers
};
Holdings holdings(const Plan& plan, std::span<const BufferId> held);

// The memory of one device of the plan.
struct DeviceMemory {
  std::string device{};
  std::optional<Bytes> limit{};
  Bytes arena{};  // end of the last byte in use
  Bytes held{};   // live bytes at the peak
  // What this machine sets aside where it computes the device's numbers: also what arrives for a library's sums, and all
  // numbers in 32 bits.
  Bytes on_this_machine{};
  Bytes fragmentation{};  // part of the arena that was free at the peak and too scattered to be used
  // The regions that the allocator took from the device, which other processes can't use: with memory growth
  // the sum of the regions, without growth the whole limit, and without a limit the arena.
  Bytes taken{};
  std::int64_t garbage_collections = 0;
  Holdings at_peak{};
  std::optional<Capacity> capacity{};
  Verdict verdict = Verdict::fits;
};

// The allocation that failed.
struct Shortage {
  std::string message{};  // TensorFlow's: "OOM when allocating tensor with shape[...] and type float on ..."
  std::string device{};
  std::string allocator{};
  HeldBuffer buffer{};
  TensorSpec spec{};
  std::string kernel{};     // of the node that accesses the buffer first; empty: it outlives the step
  std::string scope{};      // layer of that node
  Bytes free{};             // sum of all free pieces
  Bytes largest_free{};     // largest free piece
  Bytes slack{};            // unused bytes inside the chunks of the held buffers
  bool fragmented = false;  // the free pieces together would have been enough
  Holdings held{};
  std::string log{};  // the allocator's summary, as TensorFlow logs it
};

struct MemoryReport {
  std::vector<DeviceMemory> devices{};
  std::optional<Shortage> shortage{};
};

// `capacities` are by device, and absent where unknown. Requires: plan_memory has run on the plan.
MemoryReport report_memory(const Plan& plan, std::span<const std::optional<Capacity>> capacities = {});

std::string print(const MemoryReport& report);

}  // namespace wt::plan
