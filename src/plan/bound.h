#pragma once
// A lower bound on the time of a collective that holds for every schedule. It counts the bytes that must
// cross the border of each group of ranks (for example of a machine), and divides them by the bandwidth of
// that border.

#include <span>
#include <vector>

#include "base/quantity.h"
#include "collective/schedule.h"

namespace wt::plan {

// One group of a partition of the ranks, with the bandwidth of the links that cross its border.
struct Side {
  std::vector<int> ranks{};
  BytesPerSecond out{};  // most that all its ranks together can send across the border
  BytesPerSecond in{};   // most that they can receive across it
};

// The bound for vectors of `bytes`: the longest time that any group needs for the bytes it must send or
// receive, or, for sums and copies, the time that all groups together need. An all-reduce over k equal groups
// of bandwidth B has the bound 2 (k - 1) / k * bytes / B (Patarasuk and Yuan, 2009). Helpers that add or
// multicast, such as switches and servers, remove the second term, and bytes / B remains. The bound is zero
// where the contract leaves ranks out, because less has to move then.
Seconds bound(const collective::Contract& contract, Bytes bytes, std::span<const Side> groups);

}  // namespace wt::plan
