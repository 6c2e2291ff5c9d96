// Claims: the first signal is recorded and the second one ends the process; what the process ignored before stays
// ignored.

#include "base/interruption.h"

#include <gtest/gtest.h>

#include <csignal>

namespace wt {
namespace {

TEST(Interruption, RecordsTheFirstSignal) {
  const Interruption interruption;
  EXPECT_EQ(received_signal(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(received_signal(), SIGTERM);
  EXPECT_EQ(name_of(received_signal()), "SIGTERM");
}

TEST(Interruption, TheSecondSignalEndsTheProcess) {
  const auto twice = [] {
    const Interruption interruption;
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::KilledBySignal(SIGINT), "a second signal ends the program at once");
}

TEST(Interruption, IgnoredSignalsStayIgnored) {
  const auto ignore = [] {
    std::signal(SIGHUP, SIG_IGN);
    {
      const Interruption interruption;
      std::raise(SIGHUP);
    }
    std::raise(SIGHUP);
    std::exit(received_signal());
  };
  EXPECT_EXIT(ignore(), testing::ExitedWithCode(0), "");
}

TEST(Interruption, EndsTheProcessByTheSignalItReceived) {
  EXPECT_EXIT(end_by(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace wt
