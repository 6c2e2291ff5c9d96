#pragma once
// `windtunnel verify scaling` compares predicted with published throughput on several devices, row by row.
// The absolute prediction uses the constants of the devices' generation. The scaling prediction takes the
// compute time from the row with the fewest devices, so that its error is that of the communication.

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyScalingOptions {
  std::string folder{};  // of CSV files: tests/measurements
  bool csv = false;
};

Exit verify_scaling(const VerifyScalingOptions& options, const Streams& streams);

}  // namespace wt::cli
