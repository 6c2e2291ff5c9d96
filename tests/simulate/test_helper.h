#pragma once
// The helper executable of tests and benchmarks (tests/simulate/test_simulator.cpp), whose tasks show what
// may happen to a simulation's process.

#include "base/installation.h"
#include "simulate/helper.h"
#include "simulate/job.h"

namespace wt::simulate {

inline std::filesystem::path test_simulator() {
  return helper_program("windtunnel_test_simulator", "WINDTUNNEL_TEST_SIMULATOR");
}

inline const Helper& test_helper() {
  static const Helper helper(test_simulator());
  return helper;
}

// With this variable in the environment, the test helper greets with another version of the protocol.
inline constexpr const char* other_protocol = "WINDTUNNEL_TEST_OTHER_PROTOCOL";

// The task "play_and_measure" receives a job, simulates it folded, and sends these and the outcome's
// activities.
struct Measured {
  double seconds{};
  double cpu_seconds{};
  double bytes_before{};  // resident, with the job
  double bytes{};         // resident at the peak
  double end{};           // of the simulation
  Effort effort{};
};

}  // namespace wt::simulate
