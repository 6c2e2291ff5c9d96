#include "cli/report_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/output/addition.h"
#include "base/output/manifest.h"
#include "base/output_folder.h"
#include "cli/cli.h"

namespace wt::cli {

namespace {

namespace fs = std::filesystem;

bool is_of_a_report(const std::string& name) {
  const std::string ending = fs::path(name).extension().string();
  return name == "report.json" || name == "report.html" || ending == ".svg" || ending == ".png";
}

report::ReportFiles files_of(const std::vector<report::Entry>& entries, const report::Pictures& pictures,
                             std::ostream& messages) {
  report::ReportFiles report = report::files_of(report::report_json(version(), entries), pictures);
  if (!report.note.empty()) messages << "note: " << report.note << "\n";
  return report;
}

void print(const fs::path& folder, const report::ReportFiles& report, std::ostream& messages) {
  for (const report::ReportFile& file : report.files)
    messages << fmt::format("report: {}\n", (folder / file.name).string());
}

}  // namespace

void write_report_beside(const fs::path& results, const std::vector<report::Entry>& entries,
                         const report::Pictures& pictures, std::ostream& messages) {
  const report::ReportFiles report = files_of(entries, pictures, messages);
  for (const report::ReportFile& file : report.files) output::add_file(results, file.name, file.content);
  print(results, report, messages);
}

void require_report_folder(const fs::path& folder) {
  const auto manifest = output::manifest_of(folder);
  if (!manifest ||
      std::ranges::all_of(manifest->files, [](const auto& file) { return is_of_a_report(file.first); }))
    return;
  throw InputError(
      fmt::format("\"{}\" has results, which a report of its own would replace", folder.string()),
      "choose another folder with --out; for a report beside the results of one folder, leave --out out");
}

void write_report_folder(const fs::path& folder, const std::vector<report::Entry>& entries,
                         const report::Pictures& pictures, std::ostream& messages) {
  require_report_folder(folder);
  OutputFolder output(folder);
  output.begin("a report, which can be drawn again");  // so what a killed one left is removed
  const report::ReportFiles report = files_of(entries, pictures, messages);
  for (const report::ReportFile& file : report.files) output.write(file.name, file.content);
  output.commit();
  print(folder, report, messages);
}

}  // namespace wt::cli
