#pragma once
// The proof that a schedule does what its operation promises. The verifier follows through one legal order
// which ranks have contributed to the value of each slot. It also shows that any two accesses to a slot of
// which one writes have an order, so every other legal order gives the same values.

#include <string>
#include <vector>

#include "collective/expand.h"

namespace wt::collective {

enum class Fault : std::uint8_t {
  malformed,      // a rank, slot or dependency that does not exist, an empty move, or a move onto itself
  deadlock,       // moves that wait for each other
  race,           // two moves that access a slot without an order, and one of them writes
  redundant,      // a dependency that others imply
  useless,        // a copy of a value that the target already has
  senseless,      // a move of an empty slot, or an addition to an empty slot or to another chunk
  counted_twice,  // a rank's value is added to a sum that contains it
  incomplete      // At the end a rank lacks a value that the operation promises.
};

struct Finding {
  Fault fault{};
  std::string text{};  // "rank 3 misses rank 2's chunk 5"
};

// An empty result means that the schedule is proved. At most eight findings of each fault are returned, and
// the text of the last one counts the others. Ranks that the contract lists in left_out must be missing in
// the results; any other rank must not.
std::vector<Finding> verify(const Expanded& schedule);

std::string print(const std::vector<Finding>& findings);  // one line for each finding

}  // namespace wt::collective
