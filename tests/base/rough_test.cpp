#include "base/rough.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

TEST(Rough, HasOneDecimalAndTheUnitThatFits) {
  EXPECT_EQ(rough(Bytes(1023)), "1023 B");
  EXPECT_EQ(rough(Bytes(1536)), "1.5 KiB");
  EXPECT_EQ(rough(Bytes(5'000'000'000)), "4.7 GiB");
  EXPECT_EQ(rough(Seconds(0.01234)), "12.3 ms");
  EXPECT_EQ(rough(Seconds(2.5e-6)), "2.5 us");
  EXPECT_EQ(rough(Seconds(7200)), "7200.0 s");
  EXPECT_EQ(rough(BytesPerSecond(25e9)), "25.0 GB/s");
  EXPECT_EQ(rough(FlopsPerSecond(19.5e12)), "19.5 TFLOP/s");
}

TEST(Rough, CountsInSingularAndPlural) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(0, "step"), "0 steps");
}

}  // namespace
}  // namespace wt
