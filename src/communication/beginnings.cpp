#include "communication/beginnings.h"

#include <cmath>

namespace wt::communication {

namespace {
constexpr double exactly = 1e-10;
}

bool are_steady(const Beginning& first, const Beginning& second, const Beginning& third) {
  const double step = (third.timing.time - second.timing.time).count(), tolerance = exactly * step;
  if (step <= 0 || std::abs((second.timing.time - first.timing.time).count() - step) > tolerance)
    return false;
  for (std::size_t id = 0; id < third.last.size(); ++id) {
    const double now = (third.last[id].end - second.last[id].end).count();
    const double earlier = (second.last[id].end - first.last[id].end).count();
    if (std::abs(now - earlier) > tolerance || now > step + tolerance) return false;
  }
  return true;
}

Timing continued(const Timing& first, const Timing& second, int times) {
  Timing result = second;
  result.time += (second.time - first.time) * times;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const plan::LinkUse &before = first.links[i], &now = second.links[i];
    result.links[i].carried += (now.carried - before.carried) * times;
    result.links[i].busy += (now.busy - before.busy) * times;
  }
  return result;
}

}  // namespace wt::communication
