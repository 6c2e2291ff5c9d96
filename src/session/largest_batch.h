#pragma once
// The search for the largest batch whose step fits into a device's memory.

#include <cstdint>
#include <functional>
#include <optional>

#include "base/quantity.h"

namespace wt::session {

// The memory of a step with so many rows; unset if it doesn't fit.
using MemoryOfRows = std::function<std::optional<Bytes>(std::int64_t rows)>;

// The most rows, at most `most`, whose step fits into `limit`. Unset if not even one row fits. To plan the step
// of a large model takes seconds, so few are planned: memory grows with the rows, nearly by the same amount for
// each, and the line through two batches that fit meets the limit close to the answer. Where the line goes too
// far, the interval is halved, so that the answer is found whatever the memory grows like.
// Requires: what doesn't fit doesn't fit with more rows either.
std::optional<std::int64_t> largest_batch(const MemoryOfRows& memory_of, Bytes limit, std::int64_t most);

}  // namespace wt::session
