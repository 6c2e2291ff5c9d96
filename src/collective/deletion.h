#pragma once
// The proof of the proof: a schedule from which any one thing is taken must not verify any more.

#include <string>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

Expanded without_move(Expanded schedule, int move);

struct Deletions {
  std::size_t tried = 0;  // one for each move and each dependency
  std::vector<std::string>
      unnoticed{};  // what the verifier didn't miss: "move 3", "that move 3 waits for move 1"
};
Deletions try_deletions(const Expanded& schedule);

}  // namespace wt::collective
