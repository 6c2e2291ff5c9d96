#pragma once
// What each communication of a step is: its algorithm, its bytes, and a time that no schedule can beat.

#include <optional>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "plan/plan.h"

namespace wt::timing {

struct CollectiveFacts {
  std::string name{};       // as in StepAccount: "all_reduce/0"
  std::string algorithm{};  // empty: copies that belong to no schedule
  std::string protocol{};   // empty: no library's
  std::int64_t ranks = 0;   // 0: unknown
  Bytes bytes{};            // of the vector; of mere copies, of all of them together
  std::optional<Seconds> bound{};
};

// By the order of names. Requires: the plan is of this machine, which has a platform.
std::vector<CollectiveFacts> collective_facts(const plan::Plan& plan, const cluster::Machine& machine);

}  // namespace wt::timing
