#pragma once
// Writes schedules as text, reads them back, and draws them. The ring all-reduce of 2 ranks as text:
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
// Numbers behind `start` and `apply` are the dependencies of a move (Step in expand.h): `3` is a move that
// must be done, and `3.sent` is a move whose bytes must have left. The lines `helpers`, `root`, `scratch`,
// `input` and `left_out` of a Contract are written only if they differ from the default.

#include <string>
#include <string_view>

#include "collective/expand.h"

namespace wt::collective {

std::string print(const Expanded& schedule);
// Throws InputError with all mistakes, each at its line. The schedule may still be wrong; import.h verifies
// it.
Expanded parse_schedule(std::string_view text, const std::string& file = {});

// A drawing in the language of Graphviz: a node for each move, grouped by target, and an edge for each
// dependency. Edges of `apply` are dashed.
std::string print_dot(const Expanded& schedule);

}  // namespace wt::collective
