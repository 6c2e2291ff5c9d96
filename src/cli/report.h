#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace wt::cli {

struct ReportOptions {
  std::vector<std::string> folders{};
  bool json = false;  // prints the report and writes nothing
};

// Writes report.json, the data of a report, into a folder of results; of several folders, it is printed.
Exit report(const ReportOptions& options, const Streams& streams);

}  // namespace wt::cli
