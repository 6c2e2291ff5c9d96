// Claim: the folder of the results is replaced whole and only if it is ours; whatever goes wrong, what lay
// there before is untouched and nothing half-written remains.

#include "base/output_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/folder.h"

namespace wt {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::TestFolder;
using test::write_bytes;

const std::string ours = R"({"format": "windtunnel results"})";

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void write_results(const fs::path& path, const std::string& extra) {
  OutputFolder folder(path);
  folder.write(extra, "1");
  folder.write("results.json", ours);
  folder.commit();
}

template <class Action>
std::string refusal(const TestFolder& base, Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return base.without_path(error.what());
  }
  return "accepted";
}

TEST(OutputFolder, AppearsCompleteWithItsParents) {
  const TestFolder base;
  OutputFolder folder(base / "out/run");
  folder.write("results.json", ours);
  EXPECT_FALSE(fs::exists(base / "out/run"));
  folder.commit();
  EXPECT_EQ(bytes_of(base / "out/run/results.json"), ours);
  EXPECT_EQ(entries(base / "out"), 1u);
}

TEST(OutputFolder, ReplacesAnEarlierRunWhole) {
  const TestFolder base;
  write_results(base / "run", "old.txt");
  write_results(base / "run/", "new.txt");
  EXPECT_FALSE(fs::exists(base / "run/old.txt"));
  EXPECT_TRUE(fs::exists(base / "run/new.txt"));
  EXPECT_EQ(entries(base.path()), 1u);
}

TEST(OutputFolder, LeavesNoTraceWithoutCommit) {
  const TestFolder base;
  write_results(base / "run", "old.txt");
  {
    OutputFolder folder(base / "run");
    folder.write("results.json", "half");
    folder.inside("weights/final.safetensors");
    EXPECT_EQ(entries(base.path()), 2u);
  }
  EXPECT_TRUE(fs::exists(base / "run/old.txt"));
  EXPECT_EQ(entries(base.path()), 1u);
}

TEST(OutputFolder, KeepsCheckpointsWithoutCommit) {
  const TestFolder base;
  fs::path kept;
  {
    OutputFolder folder(base / "run");
    write_bytes(folder.inside("ckpt"), "1");
    folder.keep();
    kept = folder.unfinished();
  }
  EXPECT_EQ(bytes_of(kept / "ckpt"), "1");
  EXPECT_FALSE(fs::exists(base / "run"));
}

TEST(OutputFolder, RefusesWhatIsNotAnEarlierRuns) {
  const TestFolder base;
  const auto open = [&](const std::string& name) {
    return refusal(base, [&] { OutputFolder folder(base / name); });
  };
  fs::create_directories(base / "empty");
  EXPECT_EQ(open("empty"), "accepted");
  fs::create_directories(base / "photos");
  write_bytes(base / "photos/cat.jpg", "cat");
  EXPECT_EQ(open("photos"),
            "\"photos\" is a folder without results of an earlier run, and would be replaced\n"
            "choose another folder with --out, or remove it yourself");
  for (const char* text :
       {"{}", "[]", "{\"format\": 1}", "{\"format\": \"another\"}", "windtunnel results"}) {
    write_bytes(base / "photos/results.json", text);
    EXPECT_NE(open("photos"), "accepted") << text;
  }
  EXPECT_EQ(open("photos/cat.jpg"),
            "\"photos/cat.jpg\" is a file, and would be replaced\n"
            "choose another folder with --out, or remove it yourself");
  EXPECT_EQ(bytes_of(base / "photos/cat.jpg"), "cat");
}

TEST(OutputFolder, RefusesAtTheEndWhatCameMeanwhile) {
  const TestFolder base;
  EXPECT_NE(refusal(base,
                    [&] {
                      OutputFolder folder(base / "run");
                      folder.write("results.json", ours);
                      fs::create_directories(base / "run");
                      write_bytes(base / "run/cat.jpg", "cat");
                      folder.commit();
                    }),
            "accepted");
  EXPECT_EQ(bytes_of(base / "run/cat.jpg"), "cat");
  EXPECT_EQ(entries(base.path()), 1u);
}

TEST(OutputFolder, FollowsALinkAndKeepsIt) {
  const TestFolder base;
  write_results(base / "real", "old.txt");
  fs::create_directory_symlink(base / "real", base / "link");
  write_results(base / "link", "new.txt");
  EXPECT_TRUE(fs::is_symlink(base / "link"));
  EXPECT_TRUE(fs::exists(base / "real/new.txt"));
  EXPECT_FALSE(fs::exists(base / "real/old.txt"));
}

TEST(OutputName, StaysInsideAndOffOurOwnFiles) {
  const TestFolder base;
  const auto check = [&](const std::string& name) {
    return refusal(base, [&] { check_output_name(name, {"s.json", 3, 5, "\"x\": 1", 1}); });
  };
  for (const char* name : {"weights.safetensors", "a/b/c", "a/../b", "./a", "results.json.old"})
    EXPECT_EQ(check(name), "accepted") << name;
  for (const char* name : {"", ".", "..", "../a", "a/../..", "a/../../b", "/etc/passwd"})
    EXPECT_NE(check(name).find("leads out of the folder of the results"), std::string::npos) << name;
  for (const char* name : {"results.json", "steps.csv", "./scenario.resolved.json", "results.json/a"})
    EXPECT_NE(check(name).find("is where the results are written"), std::string::npos) << name;
  EXPECT_EQ(check("../a"),
            "s.json:3:5: \"../a\" leads out of the folder of the results\n"
            "  3 | \"x\": 1\n"
            "    |     ^\n"
            "give a name inside it; the folder itself is chosen with --out");
}

}  // namespace
}  // namespace wt
