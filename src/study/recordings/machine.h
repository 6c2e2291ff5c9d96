#pragma once
// The machine on which recordings are repeated: the CPU of this host, as one device or as several mirrored replicas.

#include "device/cpu/cpu_queue.h"
#include "train/function.h"

namespace wt::recordings {

class Machine {
 public:
  explicit Machine(std::int64_t replicas = 1);
  operator train::Resources&() { return resources_; }

 private:
  device::Workers workers_{1};
  device::CpuQueue queue_{workers_};
  train::Resources resources_;
};

}  // namespace wt::recordings
