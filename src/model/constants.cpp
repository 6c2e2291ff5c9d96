#include "model/constants.h"

#include <algorithm>

namespace wt::model {

Symbol constants(Trace& trace, const std::vector<double>& numbers, Type type) {
  std::vector<Symbol> runs;
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[begin]) ++end;
    runs.push_back(fill(trace, {type, {static_cast<std::int64_t>(end - begin)}}, numbers[begin]));
    begin = end;
  }
  return runs.size() == 1 ? runs.front() : concat(runs, 0);
}

Symbol number_like(Symbol x, double value) { return fill(*x.trace, {x.spec().type, {}}, value); }

Symbol clipped(Symbol x, double least, double most) {
  const Symbol y = minimum(maximum(x, number_like(x, least)), number_like(x, most));
  return select(equal(x, y), x, stop_gradient(y));
}

}  // namespace wt::model
