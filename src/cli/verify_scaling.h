#pragma once
// Published throughput of several devices, predicted row by row: from shapes and a generation's constants alone,
// and with the row of the fewest devices given, so that only communication is judged.

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyScalingOptions {
  std::string folder{};
  bool csv = false;
};

Exit verify_scaling(const VerifyScalingOptions& options, const Streams& streams);

}  // namespace wt::cli
