#pragma once
// Reads when the machines of a real cluster failed, and for how long: a CSV file as the published logs of clusters
// have it, for example
//
//   node,start,end
//   3,2026-11-01 10:20:00,2026-11-01 11:05:00
//   12,2026-11-02 00:01:30,2026-11-02 00:06:00
//
// Further columns are skipped. Dates count from the earliest one of the file. Numbers are seconds since the training
// began.

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace wt::scenario {

struct LoggedFailure {
  std::int64_t node = 0;  // the machine's number
  Seconds start{};
  Seconds end{};
};

// In the order of the file. Throws InputError with every problem, each at its line.
std::vector<LoggedFailure> read_failure_log(const std::string& file);

}  // namespace wt::scenario
