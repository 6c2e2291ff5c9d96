#include "emulation/streams.h"

#include <algorithm>
#include <limits>

namespace wt::emulation {

double seconds_of(std::size_t bytes) { return 1e-2 + 1e-9 * static_cast<double>(bytes); }

bool Operation::is_ready() const {
  return std::ranges::all_of(awaits, [](const MomentPointer& moment) { return moment->has_come; });
}

std::size_t Lots::ahead() {
  switch (seed_ % 3) {
    case 0:
      return 0;
    case 1:
      return std::numeric_limits<std::size_t>::max();
    default:
      return draw() % 4;
  }
}

}  // namespace wt::emulation
