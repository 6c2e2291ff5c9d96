#pragma once
// Measures copies between the memories of this machine.

#include <span>
#include <string>
#include <vector>

#include "device/queue.h"
#include "execute/measure.h"

namespace wt::execute {

// A memory and the queue that copies to it.
struct CopyPlace {
  std::string name{};  // "GPU 0"
  device::Queue* queue = nullptr;
};

// Measures every pair of memories with few bytes, which shows the latency, and with many, which shows the
// rate: within each device, between each two devices in both directions, and between the host and each device
// with memory of its own. The times are those of the queues' stopwatches. For the host they include the
// detour through page-locked memory. A copy is left out if there is not enough memory for it.
std::vector<plan::ProfiledCopy> measure_copies(std::span<const CopyPlace> places,
                                               const MeasureOptions& options = {});

}  // namespace wt::execute
