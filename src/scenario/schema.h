#pragma once

#include <string>

namespace wt::scenario {

// The JSON Schema (draft 7) of a scenario, by which an editor completes and explains keys, with every
// default. It accepts what the parser accepts, except that it doesn't compare the values of different keys.
std::string schema();

}  // namespace wt::scenario
