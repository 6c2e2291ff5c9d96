#pragma once
// The files of a report: report.json, the page that contains it, and its charts as pictures. The page and the program
// that draws the charts are built from viz/ (share/windtunnel/viz of an installation). Where they are not, report.json
// is the report.

#include <string>
#include <string_view>
#include <vector>

namespace wt::report {

// The forms in which charts are written, beside the page.
struct Pictures {
  bool svg = false;
  bool png = false;
  bool any() const { return svg || png; }
};

struct ReportFile {
  std::string name{};
  std::string content{};
};

struct ReportFiles {
  std::vector<ReportFile> files{};  // report.json first
  std::string note{};               // why there is no page; empty: there is one
};

// Throws InputError, with the remedy, if pictures cannot be drawn here. A command calls it before its work.
void require_renderer(const Pictures& pictures);

// `data` is the text of report.json.
ReportFiles files_of(std::string_view data, const Pictures& pictures);

}  // namespace wt::report
