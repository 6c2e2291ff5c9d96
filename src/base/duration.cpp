#include "base/duration.h"

#include <fmt/format.h>

#include "base/rough.h"

namespace wt {

std::string duration(Seconds time) {
  constexpr Seconds minute(60), hour(3600), day(86'400);
  if (time < 2 * minute) return rough(time);
  if (time < 2 * hour) return fmt::format("{:.1f} min", time / minute);
  return time < 2 * day ? fmt::format("{:.1f} h", time / hour) : fmt::format("{:.1f} days", time / day);
}

}  // namespace wt
