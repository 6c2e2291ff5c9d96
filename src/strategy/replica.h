#pragma once

#include "plan/plan.h"
#include "program/program.h"

namespace wt::strategy {

// Where a replica computes, and the host whose input pipeline feeds it; none where that is the same memory.
struct Replica {
  plan::DeviceId device{};
  std::optional<plan::DeviceId> host{};
};

// Appends one replica's step to a plan, on one device, in program order:
// - inputs are copied from the host where there is one;
// - every value gets a buffer; a reshape shares its input's;
// - an output takes its input's place where the kernel allows it and nobody reads the input later;
// - so optimizers write variables where they lie; other updates are moved there when the step's nodes are
// done,
//   since reads within the step see the old value;
// - results keep their buffers after the step.
void lower_replica(const Step& step, Replica replica, plan::Plan& plan);

}  // namespace wt::strategy
