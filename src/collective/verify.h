#pragma once
// The proof that a schedule does what its operation promises, by following who has contributed to what.

#include <string>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

enum class Fault : std::uint8_t {
  malformed,      // a rank, a slot or a dependency that isn't there; an empty move; a move to itself
  deadlock,       // moves wait for each other
  race,           // two moves touch a slot, and nothing says which comes first
  redundant,      // a dependency that others imply
  useless,        // a copy that brings what is there already
  senseless,      // what moves, or what it is added to, is nothing or another chunk
  counted_twice,  // a rank's value is added to a sum that has it
  incomplete      // at the end a rank lacks what it should have
};

struct Finding {
  Fault fault{};
  std::string text{};  // "rank 3 misses rank 2's chunk 5"
};

// Empty: proved. At most a few of each kind; what else was found is counted in the last one's text.
// Ranks that the contract itself leaves out are no finding, as long as it is just those.
std::vector<Finding> verify(const Expanded& schedule);

std::string print(const std::vector<Finding>& findings);  // a line each

}  // namespace wt::collective
