#pragma once
// What no schedule beats, whatever its moves: bytes that must pass into and out of groups of ranks.

#include <span>
#include <vector>

#include "base/quantity.h"
#include "collective/schedule.h"

namespace wt::plan {

// Of the ranks, in any split.
struct Side {
  std::vector<int> ranks{};
  BytesPerSecond out{};  // at most, all ranks together
  BytesPerSecond in{};
};

// For vectors of `bytes`: what each group must send and receive, and for sums and copies what all must
// together. Of an all-reduce over k equal groups, 2 (k - 1) / k of the vector over a group's rate (Patarasuk
// and Yuan, 2009); helpers that add or multicast (switches, servers) take the sum over groups away, and once
// the vector remains. Zero where the contract leaves ranks out, as less has to move then.
Seconds bound(const collective::Contract& contract, Bytes bytes, std::span<const Side> groups);

}  // namespace wt::plan
