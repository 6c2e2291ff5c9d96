#pragma once
// The reference reader of a schedule: real numbers, one thread, any legal order.

#include <random>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

// What each rank has in the end: `vectors` with the chunks it wants in their places. Chunks are added in the
// order of the schedule, so every legal order gives the same bits; `seed` picks one. Requires: a vector of
// contract.cut.elements for each rank; a schedule that verifies.
std::vector<std::vector<float>> execute_on(const Expanded& schedule, std::vector<std::vector<float>> vectors,
                                           std::uint64_t seed);
std::vector<std::vector<double>> execute_on(const Expanded& schedule,
                                            std::vector<std::vector<double>> vectors, std::uint64_t seed);

}  // namespace wt::collective
