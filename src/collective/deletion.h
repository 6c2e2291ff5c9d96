#pragma once
// A test of the verifier itself. The verifier must find fault with a correct schedule as soon as any one of
// its moves or dependencies is deleted; otherwise either the verifier overlooks something, or the schedule
// has a part that it doesn't need.

#include <string>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

// The schedule without this move; the numbers of later moves go down by one.
Expanded without_move(Expanded schedule, int move);

struct Deletions {
  std::size_t tried = 0;  // one deletion for each move and each dependency
  // Deletions after which the schedule still verifies: "move 3", "that move 3 waits for move 1".
  std::vector<std::string> unnoticed{};
};
Deletions try_deletions(const Expanded& schedule);  // Requires: a schedule that verifies.

}  // namespace wt::collective
