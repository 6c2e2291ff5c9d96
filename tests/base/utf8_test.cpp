#include "base/utf8.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(count_characters("a\u00fc\u20ac\U0001F600"), 4U);
  EXPECT_EQ(count_characters("a\xff\xfe"), 3U);
}

TEST(Utf8, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(first_invalid_utf8("a\u00fc\u20ac\U0001F600"), std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("ab\xc3"), 2U);                // cut off
  EXPECT_EQ(first_invalid_utf8("\xc0\xaf"), 0U);              // overlong
  EXPECT_EQ(first_invalid_utf8("\xe0\x80\xaf"), 0U);          // overlong
  EXPECT_EQ(first_invalid_utf8("\xed\xa0\x80"), 0U);          // surrogate
  EXPECT_EQ(first_invalid_utf8("\xf4\x90\x80\x80"), 0U);      // above U+10FFFF
  EXPECT_EQ(first_invalid_utf8("a\x80"), 1U);                 // continuation alone
  EXPECT_EQ(first_invalid_utf8("\xf0\x9f\x98\x80\xf5"), 4U);  // no such first byte
}

TEST(Utf8, MakesLinesSafeToPrint) { EXPECT_EQ(printable("a\tb\x1b\x7f\xff\u00fc"), "a\tb???\u00fc"); }

// A terminal obeys C1 controls as it does ESC sequences: U+009B begins one. The other three move what stands
// around them.
TEST(Utf8, ControlsOfEveryKindAreNotPrinted) {
  EXPECT_EQ(printable("a\u0080\u009b2J\u00a0b"), "a??2J\u00a0b");
  EXPECT_EQ(printable("a\u2028b\u202ec\u2066d"), "a?b?c?d");
  EXPECT_EQ(printable("\u20ac\U0001F600"), "\u20ac\U0001F600");
  EXPECT_EQ(printable_lines("a\x1b\nb\r\n"), "a?\nb?\n");
}

}  // namespace
}  // namespace wt
