// Scenarios in a fuzzer: those that are over in a moment, and the commands that take them.
#pragma once

#include <functional>
#include <string>

#include "cli/commands.h"

namespace wt::fuzz {

// Whether planning and timing the scenario takes a moment, so that a fuzzer can do so many thousand times. A scenario
// that is refused is small.
bool is_small(const std::string& file);

// What a command printed, in this process. Throws logic_error if that has a control character. Nothing parses words here:
// to declare the arguments of all commands took half of the time of a scenario.
struct Said {
  cli::Exit exit{};
  std::string results{};
  std::string messages{};
};
Said call(const std::function<cli::Exit(const cli::Streams&)>& command);

}  // namespace wt::fuzz
