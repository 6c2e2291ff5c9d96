#pragma once
// The words of which the descriptions of keys consist, and limits that several of them share.

#include "base/json_key.h"

namespace wt::scenario {

using json::count;
using json::Key;
using json::optional;
using json::required;
using json::required_count;
using json::Together;

// Steps that are simulated one after the other, and batches that wait for them.
inline constexpr std::int64_t most_played_steps = 1'000'000;

}  // namespace wt::scenario
