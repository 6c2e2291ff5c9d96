#pragma once
// The command `report`, and the option --report of other commands.

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "report/page/files.h"

namespace wt::cli {

struct ReportOptions {
  std::vector<std::string> folders{};
  std::string out{};  // Empty: the folder of the only results; of several, out/report.
  report::Pictures pictures{};
  bool json = false;  // prints the report and writes nothing
};

// Writes the report of folders of results: beside the results of one, or of several into a folder of its own.
Exit report(const ReportOptions& options, const Streams& streams);
Command report_command(CLI::App& program);

// As `report FOLDER`, for commands that have just written the folder.
void report_on(const std::string& folder, std::ostream& messages);

}  // namespace wt::cli
