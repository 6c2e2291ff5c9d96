// Claims: a program gets its words as they are, with nothing to read; all that it prints is returned, however long;
// and its end is known, also by a signal.

#include "base/run_program.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wt {
namespace {

Ended shell(const std::string& script, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"/bin/sh", "-c", script, "script"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(RunProgram, PassesWordsAsTheyAre) {
  EXPECT_EQ(shell("printf '%s|' \"$@\"", {"a b", "$(false)", "'", "", "\n"}).results, "a b|$(false)|'||\n|");
}

TEST(RunProgram, ReturnsBothStreamsAndTheExitCode) {
  const Ended ended = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(ended.results, "out\n");
  EXPECT_EQ(ended.messages, "err\n");
  EXPECT_EQ(ended.exit, 7);
}

TEST(RunProgram, ReturnsMoreThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2").messages.size(), 1'000'000u);
}

TEST(RunProgram, HasNothingToRead) { EXPECT_EQ(shell("cat; echo end").results, "end\n"); }

TEST(RunProgram, NamesASignalAsAShellDoes) { EXPECT_EQ(shell("kill -9 $$").exit, 128 + 9); }

TEST(RunProgram, ThrowsWhereThereIsNoProgram) {
  EXPECT_THROW(run_program({"/nowhere/node"}), MachineError);
  EXPECT_EQ(program_on_path("no program has this name"), std::nullopt);
  EXPECT_TRUE(program_on_path("sh").has_value());
}

}  // namespace
}  // namespace wt
