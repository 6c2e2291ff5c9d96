#include "base/error.h"

#include <gtest/gtest.h>

namespace wt {
namespace {

Place strategy_place() { return {"scenarios/x.json", 14, 17, R"(    "strategy": "mirored",)", 9}; }

TEST(Error, PrintsPlaceLineCaretFactAndRemedy) {
  EXPECT_EQ(print(Problem{strategy_place(), "unknown strategy \"mirored\"", "did you mean \"mirrored\"?"}),
            "scenarios/x.json:14:17: unknown strategy \"mirored\"\n"
            "  14 |     \"strategy\": \"mirored\",\n"
            "     |                 ^~~~~~~~~\n"
            "did you mean \"mirrored\"?");
}

TEST(Error, PrintsWhatIsKnownOfThePlace) {
  EXPECT_EQ(print(Problem{{}, "fact", "remedy"}), "fact\nremedy");
  EXPECT_EQ(print(Problem{{.file = "a.json"}, "fact", ""}), "a.json: fact");
}

TEST(Error, PutsTheCaretUnderTheCharacterDespiteTabsAndUmlauts) {
  EXPECT_EQ(print(Problem{{"f", 2, 7, "\t\"\u00fc\": x", 1}, "fact", ""}),
            "f:2:7: fact\n"
            "  2 | \t\"\u00fc\": x\n"
            "    | \t     ^");
}

TEST(Error, MarksNothingBeyondTheLine) {
  EXPECT_EQ(print(Problem{{"f", 1, 3, "abcd", 99}, "fact", ""}), "f:1:3: fact\n  1 | abcd\n    |   ^~");
  EXPECT_EQ(print(Problem{{"f", 1, 5, "abcd", 1}, "fact", ""}), "f:1:5: fact\n  1 | abcd\n    |     ^");
  EXPECT_EQ(print(Problem{{"f", 1, 1, "", 0}, "fact", ""}), "f:1:1: fact\n  1 | \n    | ^");
}

TEST(Error, ShowsControlAndInvalidBytesAsQuestionMarks) {
  EXPECT_EQ(print(Problem{{"f", 1, 2, "a\x1b\xff", 1}, "fact", ""}), "f:1:2: fact\n  1 | a??\n    |  ^");
}

TEST(Error, ShowsAPieceOfAVeryLongLine) {
  std::string line(1000, '.');
  line[500] = 'X';
  const std::string text = print(Problem{{"f", 1, 501, line, 1}, "fact", ""});
  EXPECT_EQ(text, "f:1:501: fact\n  1 | ..." + std::string(59, '.') + "X" + std::string(100, '.') +
                      "...\n    | " + std::string(62, ' ') + "^");
}

TEST(Error, ShowsAPieceOfALongLineWhoseCharactersHaveSeveralBytes) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += i == 500 ? "X" : "\u00fc";
  std::string before, after;
  for (int i = 0; i < 59; ++i) before += "\u00fc";
  for (int i = 0; i < 100; ++i) after += "\u00fc";
  EXPECT_EQ(print(Problem{{"f", 1, 501, line, 1}, "fact", ""}),
            "f:1:501: fact\n  1 | ..." + before + "X" + after + "...\n    | " + std::string(62, ' ') + "^");
}

TEST(Error, CarriesAllProblemsSortedByPlace) {
  Problems problems;
  EXPECT_NO_THROW(problems.throw_if_any());
  problems.add({"b", 1, 1, "x", 1}, "third");
  problems.add({"a", 9, 2, "x", 1}, "second");
  problems.add({"a", 9, 1, "x", 1}, "first");
  try {
    problems.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 3U);
    EXPECT_EQ(error.problems()[0].fact, "first");
    EXPECT_STREQ(error.what(),
                 "a:9:1: first\n  9 | x\n    | ^\n\n"
                 "a:9:2: second\n  9 | x\n    |  ^\n\n"
                 "b:1:1: third\n  1 | x\n    | ^");
  }
}

TEST(Error, PrintsFiftyProblemsAndCountsTheRest) {
  Problems problems;
  for (int i = 0; i < 53; ++i) problems.add({}, "fact");
  try {
    problems.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.problems().size(), 53U);
    EXPECT_TRUE(text.ends_with("fact\n\n... and 3 more problems")) << text;
  }
}

std::string text_of_failure(void (*action)()) {
  try {
    action();
  } catch (const InternalError& error) {
    const std::string text = error.what();
    return text.substr(text.rfind("error_test.cpp:"));
  }
  return "nothing thrown";
}

TEST(Expect, NamesOurSourceTheConditionAndTheValues) {
  const int line = __LINE__ + 1;
  EXPECT_EQ(text_of_failure([] { WT_EXPECT(1 + 1 == 3, 1 + 1, 3); }),
            fmt::format("error_test.cpp:{}: expected 1 + 1 == 3: 1 + 1, 3 = 2, 3", line));
}

TEST(Expect, TakesAMessageWithValues) {
  const int line = __LINE__ + 1;
  EXPECT_EQ(text_of_failure([] { WT_EXPECT(false, "row {} of {}", 4, "table"); }),
            fmt::format("error_test.cpp:{}: expected false: row 4 of table", line));
}

TEST(Expect, EvaluatesItsValuesOnlyOnFailure) {
  int evaluations = 0;
  WT_EXPECT(true, "{}", ++evaluations);
  EXPECT_EQ(evaluations, 0);
}

TEST(Error, PutsTheOperationOfMachineTroubleInBrackets) {
  EXPECT_STREQ(MachineError("write", "out/x.json: No space left on device").what(),
               "[write] out/x.json: No space left on device");
}

}  // namespace
}  // namespace wt
