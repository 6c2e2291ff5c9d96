#pragma once
// Where the seconds of a simulated step go, as its first device sees it.

#include <string>
#include <vector>

#include "plan/roofline_parts.h"
#include "timing/simulation.h"

namespace wt::timing {

// All kernels of one kind; what they take is shared out as the roofline says.
struct KernelAccount {
  std::string kernel{};
  std::int64_t runs = 0;
  plan::Parts time{};
};

struct KernelRun {
  std::string kernel{};
  std::string scope{};  // "gradient/conv2d"
  plan::Parts time{};
};

// Messages that belong together: an all-reduce, what is pushed to a server.
struct CollectiveAccount {
  std::string name{};  // "all_reduce/0"
  Seconds time{};      // from its first message to its last one, without pauses
  Seconds exposed{};   // of it, while the device computes nothing
};

// Equal links that carried as much.
struct LinkAccount {
  plan::LinkUse link{};  // the first of them
  std::int64_t count = 0;
};

// Everything that takes most comes first.
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
