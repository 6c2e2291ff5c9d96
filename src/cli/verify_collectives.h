#pragma once
// `windtunnel verify collectives` proves that schedules do what their operations promise
// (collective/verify.h).

#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct VerifyCollectivesOptions {
  std::vector<std::string> files{};  // files of schedules to prove instead of the catalog
  std::string ranks = "2-24";        // a range, or one number
  std::string algorithm{};           // empty: all
  bool deletions = false;            // also proves that no move and no dependency is superfluous
};

// Proves every algorithm of the catalog for a range of ranks, or the schedules in files. Prints a row per
// algorithm, and every fault that was found.
Exit verify_collectives(const VerifyCollectivesOptions& options, const Streams& streams);

}  // namespace wt::cli
