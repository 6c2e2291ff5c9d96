#pragma once
// Where the files of a report (report/page/files.h) are written: beside the results that they show, or into a folder
// of their own.

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "report/page/files.h"
#include "report/page/page.h"

namespace wt::cli {

// Adds the report to a folder of results. Prints the files that it wrote, one on a line.
void write_report_beside(const std::filesystem::path& results, const std::vector<report::Entry>& entries,
                         const report::Pictures& pictures, std::ostream& messages);

// A folder that holds nothing but a report, and replaces an earlier one.
//
// Throws InputError if results lie there, which would be lost. A command calls it before its work.
void require_report_folder(const std::filesystem::path& folder);
void write_report_folder(const std::filesystem::path& folder, const std::vector<report::Entry>& entries,
                         const report::Pictures& pictures, std::ostream& messages);

}  // namespace wt::cli
