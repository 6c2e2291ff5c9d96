#include "timing/beside.h"

#include <algorithm>

namespace wt::timing {

std::vector<EvaluationBeside> evaluations_beside(std::span<const Seconds> saved, Seconds each) {
  std::vector<EvaluationBeside> evaluations;
  Seconds free{};
  for (std::size_t next = 0; next < saved.size();) {
    const Seconds begin = std::max(free, saved[next]);
    const auto newest = static_cast<std::size_t>(std::ranges::upper_bound(saved, begin) - saved.begin() - 1);
    free = begin + each;
    evaluations.push_back({newest, begin, free});
    next = newest + 1;
  }
  return evaluations;
}

}  // namespace wt::timing
