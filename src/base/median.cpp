#include "base/median.h"

#include <algorithm>

#include "base/error.h"

namespace wt {

double median(std::vector<double> values) {
  WT_EXPECT(!values.empty(), "the median of nothing");
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace wt
