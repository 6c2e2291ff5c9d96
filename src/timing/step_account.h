#pragma once
// Divides the seconds of a simulated step among kernels, collectives and links, as seen from its first
// device.

#include <string>
#include <vector>

#include "plan/roofline_parts.h"
#include "timing/simulation.h"

namespace wt::timing {

// All runs of one kernel. Their time is divided in the proportions of the roofline.
struct KernelAccount {
  std::string kernel{};
  std::int64_t runs = 0;
  plan::Parts time{};
};

// One run of a kernel.
struct KernelRun {
  std::string kernel{};
  std::string scope{};  // "gradient/conv2d"
  plan::Parts time{};
};

// The messages of one communication, such as an all-reduce or the gradients pushed to a server.
struct CollectiveAccount {
  std::string name{};  // "all_reduce/0"
  Seconds time{};      // time during which its messages or sums are active
  Seconds exposed{};   // the part of `time` during which the device computes nothing
};

// A group of equal links with the same load.
struct LinkAccount {
  plan::LinkUse link{};  // the first link of the group
  std::int64_t count = 0;
};

// The account. Each list begins with the entry that takes most.
struct StepAccount {
  std::vector<KernelAccount> kernels{};
  std::vector<KernelRun> runs{};
  std::vector<CollectiveAccount> collectives{};
  std::vector<LinkAccount> links{};
  plan::Parts compute{};  // all kernels together
};

// Requires: the simulation is of this plan on this machine.
StepAccount account_of(const plan::Plan& plan, const cluster::Machine& machine, const Simulation& simulation);

}  // namespace wt::timing
