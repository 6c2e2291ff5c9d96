#pragma once
// What plan_memory found, for people and for JSON: what a step holds on every device, whether it fits, and
// where it doesn't, what was in the way.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/type.h"
#include "plan/memory.h"

namespace wt::plan {

// Where a plan's device lives. Of a device that is cut into several, `memory` is what the others' limits
// leave.
struct Capacity {
  Bytes memory{};
  device::Reserve reserve{};
};

enum class Verdict : std::uint8_t { fits, tight, does_not_fit };
std::string_view name(Verdict verdict);  // "does_not_fit"

// The reserve's constants were read off other drivers and libraries than the user's, and are trusted to a
// half: what fits beside one and a half of it, fits; what doesn't fit beside half of it, doesn't; between
// them it is tight.
Verdict judge(Bytes needed, const Capacity& capacity);

struct HeldBuffer {
  std::string name{};
  BufferKind kind{};
  Bytes bytes{};
};

// Buffers that lie in memory at the same time.
struct Holdings {
  std::map<BufferKind, Bytes> by_kind{};
  std::vector<HeldBuffer> largest{};  // ten, the largest first, equal ones in the plan's order
  std::size_t count = 0;              // of all
};
Holdings holdings(const Plan& plan, std::span<const BufferId> held);

struct DeviceMemory {
  std::string device{};
  std::optional<Bytes> limit{};
  Bytes arena{};          // end of the last byte in use
  Bytes held{};           // at the peak
  Bytes fragmentation{};  // of the arena, what held nothing at the peak and wasn't usable
  Bytes
      taken{};  // regions: what other processes see; without growth the whole limit, without limit the arena
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
  std::string
      kernel{};  // of the node that needs it first, and that node's layer; empty: it outlives the step
  std::string scope{};
  Bytes free{};  // in all pieces together
  Bytes largest_free{};
  Bytes slack{};            // in the chunks of what is held
  bool fragmented = false;  // all pieces together would have been enough
  Holdings held{};
  std::string log{};  // what TensorFlow writes
};

struct MemoryReport {
  std::vector<DeviceMemory> devices{};
  std::optional<Shortage> shortage{};
};

// Requires: memory has been planned. Capacities by device, where they are known.
MemoryReport report_memory(const Plan& plan, std::span<const std::optional<Capacity>> capacities = {});

std::string print(const MemoryReport& report);

}  // namespace wt::plan
