#pragma once
// Published tables of nccl-tests, predicted row by row: with the constants of classes of hardware, and with the
// one number that a system's smallest message gives.

#include <string>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyNcclTestsOptions {
  std::string folder{};
  bool csv = false;
};

Exit verify_nccl_tests(const VerifyNcclTestsOptions& options, const Streams& streams);

}  // namespace wt::cli
