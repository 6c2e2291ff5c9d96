// Claim: the folder of the results is replaced whole, and only if all that lies there is ours; whatever goes
// wrong, what lay there before is untouched and nothing half-written remains. tests/faults kills the writers.

#include "base/output_folder.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "base/output/place.h"
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
    EXPECT_EQ(entries(base.path()), 3u);  // one of them is the lock
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
    folder.keep(".");
    kept = folder.unfinished();
  }
  EXPECT_EQ(bytes_of(kept / "ckpt"), "1");
  EXPECT_FALSE(fs::exists(base / "run"));
}

TEST(OutputFolder, RefusesWhatIsNotAnEarlierRuns) {
  const TestFolder base;
  const auto open = [&](const std::string& name) {
    return refusal(base, [&] { OutputFolder(base / name).begin(); });
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

TEST(OutputFolder, RefusesAtTheEndWhatCameMeanwhileAndKeepsTheResults) {
  const TestFolder base;
  const std::string text = refusal(base, [&] {
    OutputFolder folder(base / "run");
    folder.write("results.json", ours);
    fs::create_directories(base / "run");
    write_bytes(base / "run/cat.jpg", "cat");
    folder.commit();
  });
  EXPECT_EQ(text,
            "\"run\" is a folder without results of an earlier run, and would be replaced\n"
            "the results of this run lie in \"run.unfinished-1\", complete");
  EXPECT_EQ(bytes_of(base / "run/cat.jpg"), "cat");
  EXPECT_EQ(bytes_of(base / "run.unfinished-1/results.json"), ours);
  EXPECT_EQ(entries(base.path()), 2u);
}

// ---- What isn't ours

TEST(OutputFolder, NamesTheFirstFileThatNoRunHasWritten) {
  const TestFolder base;
  const auto again = [&] { return refusal(base, [&] { write_results(base / "run", "old.txt"); }); };
  ASSERT_EQ(again(), "accepted");
  write_bytes(base / "run/thesis.tex", "years");
  write_bytes(base / "run/zebra.jpg", "stripes");
  EXPECT_EQ(again(),
            "\"run\" contains \"thesis.tex\", which no run has written, and would be replaced\n"
            "choose another folder with --out, or move the file elsewhere");
  EXPECT_EQ(bytes_of(base / "run/thesis.tex"), "years");
  fs::remove(base / "run/thesis.tex");
  fs::remove(base / "run/zebra.jpg");
  fs::create_directories(base / "run/notes");
  EXPECT_TRUE(again().starts_with("\"run\" contains \"notes\", which no run has written"));
  fs::remove(base / "run/notes");
  fs::remove(base / "run/old.txt");
  fs::create_symlink("/etc/passwd", base / "run/old.txt");
  EXPECT_TRUE(again().starts_with("\"run\" contains \"old.txt\", which no run has written"));
  fs::remove(base / "run/old.txt");
  EXPECT_EQ(again(), "accepted");
  EXPECT_EQ(entries(base.path()), 1u);
}

TEST(OutputFolder, LeavesAFileThatTheUserHasChanged) {
  const TestFolder base;
  write_results(base / "run", "old.txt");
  write_bytes(base / "run/old.txt", "my notes");
  EXPECT_EQ(refusal(base, [&] { write_results(base / "run", "old.txt"); }),
            "\"run\" contains \"old.txt\", which was changed since its run, and would be replaced\n"
            "choose another folder with --out, or move the file elsewhere");
  EXPECT_EQ(bytes_of(base / "run/old.txt"), "my notes");
}

TEST(OutputFolder, TheManifestHasNamesAndSizes) {
  const TestFolder base;
  OutputFolder folder(base / "run");
  write_bytes(folder.inside("weights/final.safetensors"), "123");
  folder.require_folder("empty", {});
  folder.write("results.json", ours);
  folder.commit();
  EXPECT_EQ(bytes_of(base / "run/manifest.json"), R"({
  "format": "windtunnel manifest",
  "format_version": 1,
  "files": [
    {"name": "results.json", "bytes": 32},
    {"name": "weights/final.safetensors", "bytes": 3}
  ]
}
)");
  EXPECT_EQ(entries(base / "run"), 3u);
}

TEST(OutputFolder, AManifestCannotNameFilesElsewhere) {
  const TestFolder base;
  write_bytes(base / "thesis.tex", "years");
  const std::string whole_name = (base / "thesis.tex").string();
  for (const std::string& name :
       {std::string("../thesis.tex"), std::string("a/../../thesis.tex"), whole_name}) {
    write_results(base / "run", "old.txt");
    std::string manifest = bytes_of(base / "run/manifest.json");
    const std::string whole = manifest;
    manifest.replace(manifest.find("old.txt"), 7, name);
    write_bytes(base / "run/manifest.json", manifest);
    EXPECT_NE(refusal(base, [&] { write_results(base / "run", "new.txt"); }), "accepted") << name;
    EXPECT_EQ(bytes_of(base / "thesis.tex"), "years");
    write_bytes(base / "run/manifest.json", whole);
  }
}

// Folders of version 0.1.0 have no manifest.
TEST(OutputFolder, ReplacesOfOldResultsOnlyTheNamesThatARunWrites) {
  const TestFolder base;
  fs::create_directories(base / "run/checkpoints");
  write_bytes(base / "run/results.json", ours);
  write_bytes(base / "run/scenario.resolved.json",
              R"({"training": {"save_weights": "final.bin", "checkpointing": {"folder": "checkpoints"}}})");
  for (const char* name :
       {"steps.csv", "final.bin", "checkpoints/checkpoint", "checkpoints/ckpt-3.safetensors"})
    write_bytes(base / "run" / name, "1");
  write_bytes(base / "run/checkpoints/mine.safetensors", "1");
  const auto again = [&] { return refusal(base, [&] { write_results(base / "run", "new.txt"); }); };
  EXPECT_TRUE(again().starts_with(
      "\"run\" contains \"checkpoints/mine.safetensors\", which no run has written, and would be replaced\n"))
      << again();
  fs::remove(base / "run/checkpoints/mine.safetensors");
  EXPECT_EQ(again(), "accepted");
  EXPECT_EQ(entries(base / "run"), 3u);
  EXPECT_EQ(entries(base.path()), 1u);
}

// ---- Other processes

TEST(OutputFolder, ASecondRunIntoOneFolderIsRefusedAtOnce) {
  const TestFolder base;
  OutputFolder first(base / "run");
  first.begin();
  const std::string text = refusal(base, [&] { write_results(base / "run", "second.txt"); });
  EXPECT_TRUE(text.starts_with(fmt::format("another run (process {} on ", ::getpid()))) << text;
  EXPECT_TRUE(
      text.ends_with(") is writing to \"run\"\n"
                     "wait until it ends, or choose another folder with --out"))
      << text;
  first.write("results.json", ours);
  first.commit();
  EXPECT_EQ(entries(base / "run"), 2u);
  EXPECT_EQ(refusal(base, [&] { write_results(base / "run", "second.txt"); }), "accepted");
  EXPECT_EQ(entries(base.path()), 1u);
}

// As a process that was killed leaves it: no destructor runs.
void begin_and_die(const fs::path& path, const std::string& run, bool has_checkpoint) {
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFolder folder(path);
    folder.begin(run);
    if (has_checkpoint) {
      folder.keep("checkpoints");
      write_bytes(folder.inside("checkpoints/ckpt-1"), "1");
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

void write_run(const fs::path& path, const std::string& run) {
  OutputFolder folder(path);
  folder.begin(run);
  folder.write("results.json", ours);
  folder.commit();
}

TEST(OutputFolder, WhatKilledRunsLeftIsRemovedUnlessItHasCheckpoints) {
  const TestFolder base;
  for (int i = 0; i < 3; ++i) begin_and_die(base / "run", "a", false);
  EXPECT_EQ(entries(base.path()), 2u);  // the last one's folder and lock
  begin_and_die(base / "run", "a", true);
  begin_and_die(base / "run", "b", true);
  {
    OutputFolder folder(base / "run");
    folder.begin("a");
    ASSERT_EQ(folder.left().size(), 2u);
    EXPECT_EQ(bytes_of(folder.left()[0].kept / "ckpt-1"), "1");
  }
  write_run(base / "run", "a");
  EXPECT_EQ(entries(base.path()), 2u);  // what run b left may still be useful
  write_run(base / "run", "b");
  EXPECT_EQ(entries(base.path()), 1u);
}

// The killed run may have come further.
TEST(OutputFolder, AnIncompleteRunRemovesNoCheckpointsOfAKilledOne) {
  const TestFolder base;
  begin_and_die(base / "run", "a", true);
  {
    OutputFolder folder(base / "run");
    folder.begin("a");
    folder.write("results.json", ours);
    folder.commit_incomplete();
  }
  EXPECT_TRUE(fs::exists(base / "run/results.json"));
  EXPECT_TRUE(fs::exists(base / "run.unfinished-1/checkpoints/ckpt-1"));
  EXPECT_EQ(entries(base.path()), 2u);
}

// The number of its process proves nothing: after a restart of the machine or of a container, another process
// has it.
TEST(OutputFolder, WhatARunElsewhereLeftMustBeADayOldToBeRemoved) {
  const TestFolder base;
  begin_and_die(base / "run", "a", true);
  const fs::path left = base / "run.unfinished-1", record = left / ".run";
  std::string text = bytes_of(record);
  text.replace(text.find("\"boot\": \"") + 9, 4, "xxxx");
  write_bytes(record, text);
  write_run(base / "run", "a");
  EXPECT_TRUE(fs::exists(left / "checkpoints/ckpt-1"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(25);
  for (const auto& entry : fs::recursive_directory_iterator(left)) fs::last_write_time(entry, long_ago);
  fs::last_write_time(left, long_ago);
  write_run(base / "run", "a");
  EXPECT_FALSE(fs::exists(left));
}

TEST(OutputFolder, FoldersThatAnOlderProgramLeftAreFoundAndNotRemoved) {
  const TestFolder base;
  fs::create_directories(base / "run.unfinished-4711/checkpoints");
  write_bytes(base / "run.unfinished-4711/checkpoints/ckpt-1.safetensors", "1");
  OutputFolder folder(base / "run");
  folder.begin();
  ASSERT_EQ(folder.left().size(), 1u);
  EXPECT_EQ(folder.left()[0].folder.filename(), "run.unfinished-4711");
  folder.write("results.json", ours);
  folder.commit();
  EXPECT_TRUE(fs::exists(base / "run.unfinished-4711/checkpoints/ckpt-1.safetensors"));
}

// ---- Places

TEST(OutputFolder, RefusesAPlaceThatCannotBeWrittenBeforeTheWork) {
  const TestFolder base;
  write_bytes(base / "file", "1");
  const auto begin = [&](const fs::path& path) { return refusal(base, [&] { OutputFolder(path).begin(); }); };
  const std::string remedy = "\nchoose another folder with --out";
  EXPECT_EQ(begin(base / "file/run"), "cannot write \"file\": Not a directory" + remedy);
  EXPECT_EQ(begin("/proc/run"), "cannot write \"/proc/run\": No such file or directory" + remedy);
  EXPECT_NE(begin(base / std::string(250, 'x')).find("File name too long" + remedy), std::string::npos);
  fs::create_symlink(base / "nothing", base / "link");
  EXPECT_EQ(begin(base / "link"), "\"link\" is a link to nothing" + remedy + ", or remove it yourself");
  EXPECT_EQ(entries(base.path()), 2u);
  EXPECT_EQ(base.error_of<InputError>([] { output::refuse_mount_point("/proc"); }),
            "\"/proc\" is where a file system is mounted, so it cannot be replaced whole\n"
            "name a folder inside it, as in --out /proc/results");
}

TEST(OutputFolder, RefusesNamesThatCannotBeWrittenBeforeTheWork) {
  const TestFolder base;
  OutputFolder folder(base / "run");
  const auto weights = [&](const std::string& name) {
    return refusal(base, [&] { folder.require_file(name, {"s.json", 3, 5, "\"x\": 1", 1}); });
  };
  folder.require_folder("saved/checkpoints", {});
  EXPECT_EQ(weights("weights"), "accepted");
  EXPECT_EQ(weights("deep/weights"), "accepted");
  EXPECT_EQ(weights("saved"),
            "s.json:3:5: cannot write \"saved\": Is a directory\n"
            "  3 | \"x\": 1\n"
            "    |     ^\n"
            "choose another name");
  EXPECT_NE(weights(std::string(300, 'x')).find("File name too long\n"), std::string::npos);
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
  for (const char* name :
       {"results.json", "steps.csv", "./scenario.resolved.json", "results.json/a", "manifest.json", ".run"})
    EXPECT_NE(check(name).find("is where the results are written"), std::string::npos) << name;
  EXPECT_EQ(check("../a"),
            "s.json:3:5: \"../a\" leads out of the folder of the results\n"
            "  3 | \"x\": 1\n"
            "    |     ^\n"
            "give a name inside it; the folder itself is chosen with --out");
}

}  // namespace
}  // namespace wt
