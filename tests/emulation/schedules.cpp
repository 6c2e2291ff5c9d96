// Every repetition of a test (--gtest_repeat) draws another order of what the machine does.

#include <gtest/gtest.h>

#include <cstdio>

#include "emulation/machine.h"

namespace wt::emulation {
namespace {

class Schedules final : public testing::EmptyTestEventListener {
  void OnTestIterationStart(const testing::UnitTest&, int iteration) override {
    seed_ = static_cast<unsigned>(iteration);
  }
  void OnTestStart(const testing::TestInfo&) override { machine().draw_by(seed_); }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed()) std::printf("emulated with seed %u\n", seed_);
  }
  unsigned seed_ = 0;
};

const bool is_listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Schedules);
  return true;
}();

}  // namespace
}  // namespace wt::emulation
