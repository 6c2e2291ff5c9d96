#pragma once

#include <type_traits>

#include "kernel/types.h"

namespace wt::cpu {

// One type's part of a table that has loops for both floating types.
template <class T, class Table>
const auto& part_of(const Table& table) {
  if constexpr (std::is_same_v<T, double>)
    return table.float64;
  else
    return table.float32;
}

}  // namespace wt::cpu
