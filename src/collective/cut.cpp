#include "collective/cut.h"

#include <algorithm>

namespace wt::collective {

std::int64_t Cut::begin(int chunk) const {
  const std::int64_t columns = chunks / rows, row = chunk / columns, column = chunk % columns;
  const std::int64_t length = elements / rows;
  const std::int64_t in_row = per_chunk > 0
                                  ? std::min(length, column * per_chunk)
                                  : column * (length / columns) + std::min(column, length % columns);
  return row * length + in_row;
}

}  // namespace wt::collective
