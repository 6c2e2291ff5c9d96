#pragma once
// Places at which a test ends this process as a loss of power would. tests/faults runs a command once to count
// the places that it passes, and then once for each of them. Outside of tests a place costs a comparison.

#include <string_view>

namespace wt {

// Passes one place. The n-th place that the process passes kills the process if the environment variable
// WINDTUNNEL_CRASH_AT is n, and every place is written to the file that WINDTUNNEL_CRASH_LOG names.
void crash_point(std::string_view place);

}  // namespace wt
