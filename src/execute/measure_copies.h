#pragma once
// How long bytes take between the memories of this machine.

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

// Every way that there is, with few bytes, which tell its latency, and with many: on each device, between each two, and
// between the host and those whose memory isn't the host's. By each queue's stopwatch; the host's side includes what
// page-locked memory asks for. Leaves out what finds no place.
std::vector<plan::ProfiledCopy> measure_copies(std::span<const CopyPlace> places,
                                               const MeasureOptions& options = {});

}  // namespace wt::execute
