#pragma once
// Whole scenarios, drawn from a seed: a strategy on a cluster, a model, rows that don't always divide evenly, an
// optimizer, a loop, how time is counted, what is slow. Every fourth has machines that fail
// (study/disturbed/drawn_scenario.h). Each is over in milliseconds.

#include <cstdint>
#include <string>

namespace wt::agreement {

std::string draw_scenario(std::int64_t seed);  // JSON

}  // namespace wt::agreement
