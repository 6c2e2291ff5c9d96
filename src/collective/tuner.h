#pragma once
// The choice of a plug-in that a provider of machines installs beside NCCL (NCCL calls it a tuner). It names an
// algorithm and a protocol by operation, size and number of ranks, and NCCL takes these if it can. Where it names
// nothing, NCCL's own cost model decides.

#include <optional>

#include "collective/nccl_tables.h"
#include "collective/protocol.h"
#include "collective/rankings.h"

namespace wt::collective {

struct Tuned {
  nccl::Pattern pattern{};
  Protocol protocol{};
};

// What the plug-in of these machines (Fabric::tuner) names; unset: nothing.
std::optional<Tuned> tuned(const Question& question);

}  // namespace wt::collective
