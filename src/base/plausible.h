#pragma once
// The range of the quantities that a description of a machine or a training may have. It is far wider than
// what any machine has. Beyond it sums and quotients become infinite, and no time could be reported.

#include <string_view>

#include "base/quantity.h"

namespace wt {

// Zero, or within the range of its kind.
template <class Kind>
bool is_plausible(Kind quantity);

// The same as try_parse, but refuses what is not plausible.
template <class Kind>
Parsed<Kind> parse_plausible(std::string_view text);

}  // namespace wt
