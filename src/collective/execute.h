#pragma once
// The reference execution of a schedule, for tests: on real numbers, in one thread, in any legal order.
// Training uses execute/, which runs the same moves as nodes of a plan.

#include <random>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

// Returns the ranks' vectors after the schedule: in `vectors`, the chunks that a rank wants are replaced by
// its results. `seed` picks one of the legal orders. All of them give the same bits, because sums are added
// in the order of the schedule. Requires: a schedule that verifies, and a vector of contract.cut.elements for
// each rank.
std::vector<std::vector<float>> execute_on(const Expanded& schedule, std::vector<std::vector<float>> vectors,
                                           std::uint64_t seed);
std::vector<std::vector<double>> execute_on(const Expanded& schedule,
                                            std::vector<std::vector<double>> vectors, std::uint64_t seed);

}  // namespace wt::collective
