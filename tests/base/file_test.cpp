#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iterator>

#include "support/folder.h"

namespace wt {
namespace {

// Each test has a temporary folder of its own.
class File : public testing::Test {
 protected:
  long entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }
  template <class Error, class Action>
  std::string error_of(Action action) const {
    return test_folder_.error_of<Error>(action);
  }

 private:
  test::TestFolder test_folder_{};

 protected:
  const std::filesystem::path& folder_ = test_folder_.path();
};

TEST_F(File, ReadsBackWhatWasWritten) {
  const std::string text("a\0b\r\n\xff", 6);
  write_text(folder_ / "x", text);
  EXPECT_EQ(read_text(folder_ / "x"), text);
  write_text(folder_ / "x", "");
  EXPECT_EQ(read_text(folder_ / "x"), "");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, ShowsNothingBeforeCommitAndNothingWithoutIt) {
  write_text(folder_ / "x", "old");
  {
    OutputFile file(folder_ / "x");
    file.write("new, but abandoned");
    EXPECT_EQ(read_text(folder_ / "x"), "old");
    EXPECT_EQ(entries(), 2);
  }
  EXPECT_EQ(read_text(folder_ / "x"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, LeavesNothingBehindWhenTheDiskIsFull) {
  // Writing beyond this limit fails like writing to a full disk.
  write_text(folder_ / "x", "old");
  auto overfill = [&] {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 1000;
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text =
        error_of<MachineError>([&] { write_text(folder_ / "x", std::string(5000, 'a')); });
    const bool is_told = text == "[write] x: File too large";
    std::exit(is_told && read_text(folder_ / "x") == "old" && entries() == 1 ? 0 : 1);
  };
  EXPECT_EXIT(overfill(), testing::ExitedWithCode(0), "");
}

TEST_F(File, SaysWhyItCannotRead) {
  EXPECT_EQ(error_of<InputError>([&] { read_text(folder_ / "x"); }),
            "cannot read \"x\": No such file or directory");
  EXPECT_EQ(error_of<InputError>([&] { read_text(folder_); }), "cannot read \"FOLDER\": Is a directory");
  EXPECT_EQ(error_of<InputError>([&] { read_text("/dev/zero"); }),
            "cannot read \"/dev/zero\": not a regular file");
  EXPECT_EQ(error_of<InputError>([&] {
              read_text(folder_ / "x", {"a.json", 1, 1, "\"x\"", 3});
            }),
            "a.json:1:1: cannot read \"x\": No such file or directory\n  1 | \"x\"\n    | ^~~");
}

// Lines and columns are counted as int.
TEST_F(File, ATextHasAtMostTwoGigabytes) {
  OutputFile(folder_ / "x").commit();
  std::filesystem::resize_file(folder_ / "x", std::uintmax_t{3} << 30);
  EXPECT_EQ(error_of<InputError>([&] { read_text(folder_ / "x"); }),
            "\"x\" has 3221225472 bytes\nat most 2147483647 bytes are read");
}

TEST_F(File, SaysWhyItCannotWrite) {
  EXPECT_EQ(error_of<MachineError>([&] { write_text(folder_ / "no/x", ""); }),
            "[write] no/x: No such file or directory; create its folder first");
  EXPECT_EQ(error_of<MachineError>([&] { write_text(folder_, ""); }), "[write] FOLDER: Is a directory");
  EXPECT_EQ(error_of<MachineError>([&] { write_text("/dev/null", ""); }),
            "[write] /dev/null: not a regular file");
}

// The lock of a process ends with it, so a file without one was left by a killed process (base/output/temporary.h).
TEST_F(File, RemovesWhatKilledProcessesLeftAndNothingElse) {
  for (const char* name : {".x.123-0.tmp", ".x.y-0.tmp", ".xx.123-0.tmp", ".x.124-0.tmp"})
    test::write_bytes(folder_ / name, "half");
  const int descriptor = ::open((folder_ / ".x.124-0.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(descriptor, LOCK_EX | LOCK_NB), 0);
  write_text(folder_ / "x", "whole");
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".x.123-0.tmp"));
  for (const char* name : {"x", ".x.y-0.tmp", ".xx.123-0.tmp", ".x.124-0.tmp"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  ::close(descriptor);
}

TEST_F(File, ReadsAPipeToItsEnd) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_text(pipe), "");  // has no writer, and opening it doesn't block
}

TEST_F(File, ReadsStretches) {
  write_text(folder_ / "x", "0123456789");
  const InputFile file(folder_ / "x");
  EXPECT_EQ(file.size(), 10U);
  std::string four(4, ' ');
  file.read_at(3, std::as_writable_bytes(std::span(four)));
  EXPECT_EQ(four, "3456");
  EXPECT_EQ(error_of<MachineError>([&] { file.read_at(8, std::as_writable_bytes(std::span(four))); }),
            "[read] x: the file became shorter while it was read");
}

}  // namespace
}  // namespace wt
