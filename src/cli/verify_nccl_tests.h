#pragma once
// `windtunnel verify nccl-tests` compares predicted with published times of all-reduces, row by row. One
// prediction uses the constants of the hardware's class, the other also the measured time of the system's
// smallest message.

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyNcclTestsOptions {
  std::string folder{};  // of CSV files: tests/measurements
  bool csv = false;
};

Exit verify_nccl_tests(const VerifyNcclTestsOptions& options, const Streams& streams);

}  // namespace wt::cli
