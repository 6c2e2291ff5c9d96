#pragma once
// What lies between the work of devices and links in a step and the end of the step.

#include <algorithm>

#include "base/quantity.h"

namespace wt::plan {

struct StepEnd {
  Seconds launching{};        // a host needs at least this long to launch the step's operations
  Seconds synchronization{};  // the devices of a process wait for the slowest, or for their host
  Seconds software{};         // of the framework, between two steps

  Seconds after(Seconds work) const { return std::max(work, launching) + synchronization + software; }
  // The part of the software in the time after `work`.
  Seconds software_after(Seconds work) const { return std::max(Seconds(0), launching - work) + software; }
};

}  // namespace wt::plan
