#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "kernel/signature.h"

namespace wt::cpu {

// Checks all ids before any thread starts, so that the error names the first wrong one.
template <class Id>
void require_ids(std::string_view kernel, std::span<const Id> ids, std::int64_t rows) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= rows)
      refuse(kernel,
             fmt::format("id {} at position {} is not in the table, which has {} rows", ids[i], i, rows));
}

}  // namespace wt::cpu
