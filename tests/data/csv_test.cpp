// Claim: a CSV file gives the numbers that TensorFlow's CsvDataset reads from it, and every mistake in it is
// reported with its line and column.

#include "data/csv.h"

#include <cstring>

#include "data/files.h"
#include "tensor/safetensors.h"

namespace wt::data {
namespace {

const std::string files = std::string(WT_TEST_DATA) + "/data/files/";

CsvTensor input(std::vector<std::string> columns, Type type = Type::float32) {
  return {.columns = std::move(columns), .row = {.type = type}};
}
CsvTensor label(const std::string& column) {
  return {.columns = {column}, .row = {.type = Type::int64}, .is_label = true};
}

std::string print_all(const Tensor& tensor) {
  std::string text = print(tensor.spec());
  for (const float value : tensor.values<float>()) text += fmt::format(" {}", value);
  return text;
}

class Csv : public testing::Test {
 protected:
  CsvRows rows(const std::string& text) {
    folder_.write("f.csv", text);
    return {.files = {{folder_.path() / "f.csv", {.file = "s.json", .line = 1, .column = 1}}},
            .tensors = {input({"a"})}};
  }
  Element all(const CsvRows& wanted) { return *read_csv(wanted).batch(100).iterate().next(); }
  std::string error(const CsvRows& wanted) {
    return folder_.error_of<InputError>([&] { read_csv(wanted); });
  }

  TestFolder folder_;
};

TEST_F(Csv, GivesTheNumbersOfTensorFlowsCsvDataset) {
  const CsvRows wanted{.files = {{files + "flowers.csv", {}}},
                       .classes = {{"species", {"setosa", "versicolor", "virginica"}}},
                       .tensors = {input({"sepal"}), input({"petal"}), label("species"), label("count")}};
  const Element read = all(wanted);
  const TensorFile expected = read_safetensors(files + "flowers.csv.expected.safetensors");
  const char* names[] = {"sepal", "petal", "species", "count"};
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor& tensor = expected.tensors.at(names[i]);
    ASSERT_EQ(read[i].type(), tensor.type()) << names[i];
    ASSERT_EQ(read[i].bytes().size(), tensor.bytes().size()) << names[i];
    EXPECT_EQ(std::memcmp(read[i].bytes().data(), tensor.bytes().data(), tensor.bytes().size()), 0)
        << names[i];
  }
}

TEST_F(Csv, StacksColumnsInTheOrderInWhichTheyAreNamed) {
  CsvRows wanted = rows("a;b;c;l\n1;2;3;0\n4;5;6;1\n");
  wanted.delimiter = ';';
  wanted.tensors = {input({"c", "a"}), input({"b"}), label("l")};
  const Element read = all(wanted);
  EXPECT_EQ(print_all(read[0]), "float32[2,2] 3 1 6 4");
  EXPECT_EQ(print_all(read[1]), "float32[2,1] 2 5");
  EXPECT_EQ(print(read[2].spec()), "int64[2]");
  wanted.tensors = {input({}), label("l")};
  EXPECT_EQ(print_all(all(wanted)[0]), "float32[2,3] 1 2 3 4 5 6");
  wanted.tensors[0].row.shape = Shape{3, 1};
  EXPECT_EQ(print_all(all(wanted)[0]), "float32[2,3,1] 1 2 3 4 5 6");
}

TEST_F(Csv, TakesNamesForAFileWithoutARowOfThem) {
  CsvRows wanted = rows("1,2\n3,4");
  wanted.names = {"b", "a"};
  EXPECT_EQ(print_all(all(wanted)[0]), "float32[2,1] 2 4");
  wanted = rows("b,a\n3,4");
  wanted.names = {"b", "a"};
  EXPECT_EQ(error(wanted),
            "f.csv:1:3: \"a\" in \"a\" is not a number\n  1 | b,a\n    |   ^\n"
            "the first row has the names already: leave \"names\" out");
  EXPECT_NE(error(rows("1,2\n3,4")).find("if the file has no row of names, list them in \"names\""),
            std::string::npos);
}

TEST_F(Csv, MakesOneHotRowsOfClassesWhereADistributionIsWanted) {
  CsvRows wanted = rows("a,l\n1,y\n2,x\n");
  wanted.classes["l"] = {"x", "y", "z"};
  wanted.tensors.push_back(
      {.columns = {"l"}, .row = {.shape = Shape{3}, .below = 3, .one_hot = true}, .is_label = true});
  EXPECT_EQ(print_all(all(wanted)[1]), "float32[2,3] 0 1 0 1 0 0");
  // Three columns are the distribution itself.
  wanted = rows("a,p,q,r\n1,0.5,0.25,0.25\n");
  wanted.tensors.push_back({.columns = {"p", "q", "r"},
                            .row = {.shape = Shape{3}, .below = 3, .one_hot = true},
                            .is_label = true});
  EXPECT_EQ(print_all(all(wanted)[1]), "float32[1,3] 0.5 0.25 0.25");
}

TEST_F(Csv, ReadsGzipAByteOrderMarkAndBlankLines) {
  EXPECT_EQ(print_all(all(rows(packed("a\n1\n2\n")))[0]), "float32[2,1] 1 2");
  EXPECT_EQ(print_all(all(rows("\xEF\xBB\xBF"
                               "a\r\n\r\n1\r\n\r\n"))[0]),
            "float32[1,1] 1");
}

TEST_F(Csv, ReportsAllMistakesWithLineAndColumn) {
  CsvRows wanted = rows("a,l\n1,\n\"x\",2\n7,NaN\n1,2,3\n5\n2,4\n");
  wanted.tensors.push_back(label("l"));
  wanted.tensors.back().row.below = 3;
  EXPECT_EQ(error(wanted),
            "f.csv:2:3: the value of \"l\" is missing\n  2 | 1,\n    |   ^\n"
            "fill it in, or leave the row out (in pandas: fillna, dropna)\n\n"
            "f.csv:3:1: \"x\" in \"a\" is not a number\n  3 | \"x\",2\n    | ^~~\n"
            "write a number\n\n"
            "f.csv:4:3: the value of \"l\" is missing\n  4 | 7,NaN\n    |   ^~~\n"
            "fill it in, or leave the row out (in pandas: fillna, dropna)\n\n"
            "f.csv:5:5: this row has 3 fields, and there are 2 columns\n  5 | 1,2,3\n    |     ^\n"
            "',' separates fields, and those that contain it are put in quotes\n\n"
            "f.csv:6:1: this row has 1 fields, and there are 2 columns\n  6 | 5\n    | ^\n"
            "',' separates fields, and those that contain it are put in quotes\n\n"
            "f.csv:7:3: \"4\" in \"l\" is 4, and the model takes 0 to 2\n  7 | 2,4\n    |   ^\n"
            "classes and ids are counted from 0");
}

// One mistake, however many rows there are.
TEST_F(Csv, ListsTheWordsOfAColumnThatNeedsClasses) {
  EXPECT_EQ(error(rows("a\ny\nx\ny\n")),
            "f.csv:2:1: \"a\" has words, and numbers are needed\n  2 | y\n    | ^\n"
            "list the words, which are read as their positions: \"classes\": {\"a\": [\"x\", \"y\"]}");
}

TEST_F(Csv, ReportsALimitedNumberOfThem) {
  std::string text = "a\n1\n";
  for (int i = 0; i < 1000; ++i) text += "no\n";
  try {
    read_csv(rows(text));
    FAIL();
  } catch (const InputError& failure) {
    EXPECT_EQ(failure.problems().size(), most_problems_of_data);
  }
}

TEST_F(Csv, NamesColumnsThatAreNotThere) {
  CsvRows wanted = rows("aa,b\n1,2\n");
  EXPECT_NE(error(wanted).find("has no column \"a\"\ndid you mean \"aa\"? known: aa, b"), std::string::npos)
      << error(wanted);
  EXPECT_NE(error(rows("a,a\n1,2\n")).find("has several columns \"a\""), std::string::npos);
  wanted = rows("a,b\n1,2\n");
  wanted.classes["c"] = {"x"};
  EXPECT_NE(error(wanted).find("has no column \"c\""), std::string::npos);
  wanted = rows("a,b\n1,2\n");
  wanted.tensors[0].row.shape = Shape{3};
  EXPECT_NE(error(wanted).find("an input of shape [3] needs 3 columns of"), std::string::npos)
      << error(wanted);
  EXPECT_NE(error(rows("")).find("is empty"), std::string::npos);
}

TEST_F(Csv, RefusesQuotesThatHideWhereFieldsEnd) {
  EXPECT_NE(error(rows("a\n\"1\n2\n")).find("f.csv:2:1: this quote is not closed"), std::string::npos);
  EXPECT_NE(error(rows("a\n\"1\"x\n")).find("f.csv:2:3: the field goes on after its closing quote"),
            std::string::npos);
  EXPECT_NE(error(rows("a\n1\"2\n")).find("f.csv:2:2: a quote stands in the middle"), std::string::npos);
}

TEST_F(Csv, TakesWholeNumbersOnlyWhereTheyAreWanted) {
  const auto whole = [&](const std::string& number) {
    CsvRows wanted = rows("a\n" + number + "\n");
    wanted.tensors = {input({"a"}, Type::int64)};
    return wanted;
  };
  EXPECT_EQ(all(whole("3.0"))[0].values<std::int64_t>()[0], 3);
  EXPECT_EQ(all(whole("-9223372036854775808"))[0].values<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::min());
  EXPECT_NE(error(whole("1.5")).find("is not a whole number"), std::string::npos);
  EXPECT_NE(error(whole("9223372036854775808")).find("is too large"), std::string::npos);
  CsvRows small = whole("256");
  small.tensors[0].row.type = Type::uint8;
  EXPECT_NE(error(small).find("is out of range"), std::string::npos);
  EXPECT_NE(error(rows("a\n1e39\n")).find("is too large"), std::string::npos);
  EXPECT_NE(error(rows("a\ninf\n")).find("is not a finite number"), std::string::npos);
}

// Any bytes give rows or an InputError.
TEST_F(Csv, NeverCrashesOnDamagedText) {
  std::uint32_t state = 1;
  const auto draw = [&](std::size_t below) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::size_t>(state >> 8) % below;
  };
  const std::string pieces[] = {
      "a", ",", "\"", "\"\"", "\n", "\r", "1.5", "\xEF\xBB\xBF", std::string(1, '\0'), "é", " "};
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 2 == 0 ? "a,b\n" : "";
    for (std::size_t left = draw(12); left > 0; --left) text += pieces[draw(std::size(pieces))];
    try {
      read_csv(rows(text));
    } catch (const InputError& failure) {
      EXPECT_NE(std::string(failure.what()), "");
    }
  }
}

}  // namespace
}  // namespace wt::data
