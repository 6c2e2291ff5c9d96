#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyCollectivesOptions {
  std::vector<std::string> files{};  // schedules to prove instead of the catalog
  std::string ranks = "2-24";        // a range, or one number
  std::string algorithm{};           // empty: all
  bool deletions = false;            // also prove that nothing of a schedule could be left out
};

// Proves every algorithm of the catalog for a range of ranks, or the schedules of files.
Exit verify_collectives(const VerifyCollectivesOptions& options, const Streams& streams);

}  // namespace wt::cli
