// Scenarios in a fuzzer: those that are over in a moment, and the commands that take them.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.h"

namespace wt::fuzz {

// Whether planning and timing the scenario takes a moment, so that a fuzzer can do so many thousand times. A scenario
// that is refused is small.
bool is_small(const std::string& file);

// What a command printed, in this process. Throws logic_error if that has a control character.
struct Said {
  cli::Exit exit{};
  std::string results{};
  std::string messages{};
};
Said call(const std::vector<std::string>& words);

}  // namespace wt::fuzz
