#pragma once
// The seconds of each node of a plan. They are kept beside the plan, so that one plan can be timed with
// several costs: from the roofline model (plan/roofline.h), from a measurement or from a profile file
// (plan/profiled.h).

#include "plan/plan.h"

namespace wt::plan {

struct Cost {
  // For a Run or a Sum, the time during which its stream is busy. For a Collective, its duration. For a Move,
  // the time that software and protocol take before its bytes flow, in addition to the latency of its route.
  // This time is negative where a measured step already includes that latency.
  Seconds seconds{};
  Seconds bound{};  // lower bound on that device type: peak rate and memory bandwidth without losses
  double wire =
      1;  // for a Move, bytes on the links per byte of payload (2 for NCCL's LL, whose flags take half)
};

struct Costs {
  std::vector<Cost> nodes{};  // by node id
  std::string basis{};        // "zero-shot roofline", "roofline x 1.08 by one measured step"
};

}  // namespace wt::plan
