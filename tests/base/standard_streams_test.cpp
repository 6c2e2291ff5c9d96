// Claim: no file gets the number of a standard stream that is closed.

#include "base/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "support/folder.h"

namespace wt {
namespace {

TEST(StandardStreams, ReservedNumbersTakeNothingAndFailAsBefore) {
  const auto program = [] {
    ::close(STDERR_FILENO);
    ::close(STDOUT_FILENO);
    reserve_standard_streams();
    const bool is_reserved = ::open("/dev/null", O_RDWR) > STDERR_FILENO;
    const bool is_failing = ::write(STDOUT_FILENO, "x", 1) < 0 && ::write(STDERR_FILENO, "x", 1) < 0;
    std::_Exit(is_reserved && is_failing ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
}

TEST(StandardStreams, MessagesDoNotGetIntoAFileThatIsBeingWritten) {
  const test::TestFolder base;
  const auto program = [&] {
    ::close(STDERR_FILENO);
    OutputFile file(base / "results");
    file.write("numbers");
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, "message", 7);
    file.commit();
    std::_Exit(test::bytes_of(base / "results") == "numbers" ? 0 : 1);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace wt
