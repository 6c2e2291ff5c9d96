// Claim: a count that doesn't fit into a narrower type is a fault of the program and never another count.

#include "base/narrow.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

TEST(Narrow, KeepsWhatFits) {
  EXPECT_EQ(narrow<int>(std::int64_t{2147483647}), 2147483647);
  EXPECT_EQ(narrow<int>(std::int64_t{-2147483648}), INT32_MIN);
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
}

TEST(Narrow, RefusesWhatWouldChange) {
  EXPECT_THROW(narrow<int>(std::int64_t{2147483648}), InternalError);
  EXPECT_THROW(narrow<int>(std::int64_t{4294967296}), InternalError);
  EXPECT_THROW(narrow<int>(std::size_t{1} << 63), InternalError);
  EXPECT_THROW(narrow<unsigned>(-1), InternalError);
}

}  // namespace
}  // namespace wt
