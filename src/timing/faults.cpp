#include "timing/faults.h"

#include <array>

namespace wt::timing {

std::string_view name(FailureKind kind) {
  constexpr std::array<std::string_view, 3> names{"killed", "preempted", "cut"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace wt::timing
