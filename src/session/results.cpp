#include "session/results.h"

#include <fmt/format.h>

#include "base/rough.h"

namespace wt::session {

std::string print(const Turns& turns) {
  return fmt::format("replicas take turns in this machine's pieces: in each step {}, {} in and out",
                     counted(turns.swaps, "swap"), rough(turns.swapped));
}

}  // namespace wt::session
