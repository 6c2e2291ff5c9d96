#pragma once
// `windtunnel verify measurements` compares predicted with published training throughput of single devices.

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyMeasurementsOptions {
  std::string folder{};  // of CSV files: tests/measurements
  bool csv = false;
};

// Prints the errors of three predictions for each group of rows (study/evidence/measurement_study.h), and
// constants fitted to the group's rows.
Exit verify_measurements(const VerifyMeasurementsOptions& options, const Streams& streams);

}  // namespace wt::cli
