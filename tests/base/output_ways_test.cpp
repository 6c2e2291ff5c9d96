// Claims: a file that is added to a folder of results is in its manifest, and a journal continues after its last
// whole line. tests/faults kills both at every step.

#include <gtest/gtest.h>

#include "base/output/addition.h"
#include "base/output/journal.h"
#include "base/output_folder.h"
#include "support/folder.h"

namespace wt {
namespace {

namespace fs = std::filesystem;
using output::add_file;
using output::Journal;
using test::bytes_of;
using test::TestFolder;
using test::write_bytes;

void write_results(const fs::path& path) {
  OutputFolder folder(path);
  folder.write("results.json", R"({"format": "windtunnel results"})");
  folder.commit();
}

TEST(AddedFile, IsReplacedWithTheRestBecauseTheManifestNamesIt) {
  const TestFolder base;
  write_results(base / "run");
  add_file(base / "run", "report.html", "first");
  add_file(base / "run", "report.html", "second, longer");
  EXPECT_EQ(bytes_of(base / "run/report.html"), "second, longer");
  EXPECT_NE(bytes_of(base / "run/manifest.json").find(R"({"name": "report.html", "bytes": 14})"),
            std::string::npos);
  write_results(base / "run");
  EXPECT_FALSE(fs::exists(base / "run/report.html"));
}

TEST(AddedFile, ReplacesNoFileOfTheUser) {
  const TestFolder base;
  write_results(base / "run");
  write_bytes(base / "run/report.html", "mine");
  EXPECT_EQ(base.error_of<InputError>([&] { add_file(base / "run", "report.html", "ours"); }),
            "\"run\" contains \"report.html\", which no run has written, and would be replaced\n"
            "move it elsewhere");
  EXPECT_EQ(bytes_of(base / "run/report.html"), "mine");
  for (const char* name : {"no_folder", "run/report.html"})
    EXPECT_TRUE(base.error_of<InputError>([&] { add_file(base / name, "report.html", ""); })
                    .ends_with("is not a folder of results\nname a folder that a run has written"));
  EXPECT_NE(base.error_of<InputError>([&] { add_file(base / "run", "results.json", ""); }), "no error");
}

TEST(Journal, ContinuesAfterItsLastWholeLine) {
  const TestFolder base;
  {
    Journal journal(base / "sweep");
    EXPECT_TRUE(journal.records().empty());
    journal.append("{\"part\": 1}");
    journal.append("{\"part\": 2}");
  }
  const fs::path file = base / "sweep/journal.jsonl";
  std::ofstream(file, std::ios::app) << "{\"pa";  // as a process leaves it that is killed
  Journal journal(base / "sweep");
  EXPECT_EQ(journal.records(), (std::vector<std::string>{"{\"part\": 1}", "{\"part\": 2}"}));
  journal.append("{\"part\": 3}");
  EXPECT_EQ(bytes_of(file), "{\"part\": 1}\n{\"part\": 2}\n{\"part\": 3}\n");
  journal.close();
  EXPECT_NE(bytes_of(base / "sweep/manifest.json").find(R"({"name": "journal.jsonl", "bytes": 36})"),
            std::string::npos);
}

TEST(Journal, ReplacesNoOtherResultsAndHasOneWriter) {
  const TestFolder base;
  write_results(base / "run");
  EXPECT_EQ(base.error_of<InputError>([&] { Journal journal(base / "run"); }),
            "\"run\" is there, and has no \"journal.jsonl\" to continue\n"
            "choose another folder with --out, or remove it yourself");
  const Journal first(base / "sweep");
  EXPECT_NE(base.error_of<InputError>([&] { Journal second(base / "sweep"); }).find("another run ("),
            std::string::npos);
}

}  // namespace
}  // namespace wt
