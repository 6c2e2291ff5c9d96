// Claims: a range has the values that its text promises, keys that vary together have equally many, and every
// other text is refused with a remedy.

#include "sweep/axis.h"

#include <gtest/gtest.h>

namespace wt::sweep {
namespace {

std::vector<std::string> texts_of(const std::string& json) {
  Problems problems;
  std::vector<std::string> texts;
  for (const Setting& setting : settings_of(json::parse(json, "test"), problems))
    texts.push_back(setting.text);
  problems.throw_if_any();
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Settings, OfRanges) {
  EXPECT_EQ(texts_of(R"("1..64x2")"), (Texts{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(texts_of(R"("3..100x3")"), (Texts{"3", "9", "27", "81"}));
  EXPECT_EQ(texts_of(R"("1..7+2")"), (Texts{"1", "3", "5", "7"}));
  EXPECT_EQ(texts_of(R"("1..8+3")"), (Texts{"1", "4", "7"}));
  EXPECT_EQ(texts_of(R"("-1..1")"), (Texts{"-1", "0", "1"}));
  EXPECT_EQ(texts_of(R"("5..5x2")"), (Texts{"5"}));
  EXPECT_EQ(texts_of(R"("4611686018427387904..9223372036854775807x2")"), (Texts{"4611686018427387904"}));
}

TEST(Settings, OfListsWithRangesInThem) {
  EXPECT_EQ(texts_of(R"([1, "2..3", "dgx_a100", null, {"type": "mirrored"}, true, 0.5])"),
            (Texts{"1", "2", "3", "dgx_a100", "null", R"({"type":"mirrored"})", "true", "0.5"}));
}

TEST(Settings, TextsThatOnlyLookLikeRangesAreTexts) {
  for (const char* text : {"1..", "..4", "1..4x", "1..4y2", "1..4x2x2", "a..b", "4x4x8"})
    EXPECT_EQ(texts_of(std::string("\"") + text + "\""), Texts{text});
}

TEST(Settings, RefusesRangesWithoutAnEnd) {
  for (const char* text : {"4..1", "1..4x1", "1..4x0", "0..4x2", "1..4+0",
                           "-9223372036854775807..9223372036854775807", "1..1000000"})
    EXPECT_THROW(texts_of(std::string("\"") + text + "\""), InputError) << text;
}

Axis axis(const std::string& text) {
  Problems problems;
  Axis axis = axis_of(text, problems);
  problems.throw_if_any();
  return axis;
}

TEST(AxisOfTheCommandLine, HasKeysThatVaryTogether) {
  const Axis both = axis("batch=64,128 and training.precision=float32,tf32");
  EXPECT_EQ(both.keys, (Texts{"batch", "training.precision"}));
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(both.settings[1][1].text, "tf32");
  EXPECT_EQ(both.settings[0][1].value.integer(), 128);
}

TEST(AxisOfTheCommandLine, KeepsCommasInsideOfBracketsAndQuotes) {
  const Axis strategies = axis(R"(strategy={"type": "mirrored", "devices": [1, 2]},"a,b")");
  EXPECT_EQ(strategies.size(), 2U);
  EXPECT_EQ(strategies.settings[0][1].text, "a,b");
}

TEST(AxisOfTheCommandLine, RefusesWhatIsNoAxis) {
  for (const char* text : {"machines", "=4", "machines=", "batch=1,2 and epochs=1", "batch=1 and ", ""})
    EXPECT_THROW(axis(text), InputError) << text;
}

}  // namespace
}  // namespace wt::sweep
