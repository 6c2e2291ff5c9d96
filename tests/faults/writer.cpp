// Writes a folder in one of the three ways, for tests/faults/faults.py to kill in the middle. Every file contains
// the version that the caller names, so that a folder with files of two versions is seen to be torn.
//
//   faults_writer replace FOLDER VERSION    a folder of four files
//   faults_writer add FOLDER VERSION        one more file in it
//   faults_writer journal FOLDER LINES      a journal, continued until it has so many lines

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "base/file.h"
#include "base/output/addition.h"
#include "base/output/journal.h"
#include "base/output_folder.h"

namespace {

void replace(const std::string& folder, const std::string& version) {
  wt::OutputFolder output(folder);
  output.begin(version);
  output.keep("checkpoints");
  wt::write_text(output.inside("checkpoints/ckpt-1"), version);
  wt::write_text(output.inside("weights/final"), version);
  output.write("steps.csv", version);
  output.write("results.json",
               fmt::format("{{\"format\": \"windtunnel results\", \"text\": \"{}\"}}", version));
  output.commit();
}

void add(const std::string& folder, const std::string& version) {
  wt::output::add_file(folder, "report.html", version);
}

void journal(const std::string& folder, const std::string& lines) {
  const auto wanted = static_cast<std::size_t>(std::atol(lines.c_str()));
  wt::output::Journal journal(folder);
  while (journal.records().size() < wanted) journal.append(fmt::format("line {}", journal.records().size()));
  journal.close();
}

struct Way {
  std::string_view name{};
  void (*write)(const std::string&, const std::string&) = nullptr;
};
constexpr Way ways[] = {{"replace", replace}, {"add", add}, {"journal", journal}};

}  // namespace

int main(int argc, char** argv) {
  try {
    for (const Way& way : ways)
      if (argc == 4 && way.name == argv[1]) {
        way.write(argv[2], argv[3]);
        return 0;
      }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 3;
}
