#pragma once
// A schedule as text, out and in, and as a picture.
//
//   schedule ring
//   operation all_reduce
//   ranks 2
//   cut 10 elements into 2 chunks
//   0 reduce 0 to 1 chunks 1
//   1 reduce 1 to 0 chunks 0
//   2 copy 0 to 1 chunks 0 start 1
//   3 copy 1 to 0 chunks 1 start 0
//
// A number behind `start` or `apply` is a move that must be done, `3.sent` one whose bytes must have left.

#include <string>
#include <string_view>

#include "collective/expand.h"

namespace wt::collective {

std::string print(const Expanded& schedule);
// InputError with everything that is wrong, each at its line. What comes back is not verified yet.
Expanded parse_schedule(std::string_view text, const std::string& file = {});

// For Graphviz: a node for each move, a column for each rank's; dashed where it is only `apply` that waits.
std::string print_dot(const Expanded& schedule);

}  // namespace wt::collective
