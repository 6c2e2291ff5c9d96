// Claims: tests/rows.md has every row of tf.distribute's programs with a path of the user, tests and a verdict; what it
// names exists; and a test that names a row is listed there.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path project(WT_SOURCE_DIR);

// How many rows there are of each kind.
const std::map<std::string, int> kinds{{"G", 25}, {"ST", 26}, {"AP", 15}, {"L", 16},
                                       {"P", 27}, {"E", 8},   {"C", 5},   {"D", 18}};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Line {
  std::string what{};
  std::string path{};
  Names tests{};
  std::string verdict{};
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

// What stands between backticks.
Names quoted(const std::string& text) {
  static const std::regex pattern("`([^`]+)`");
  Names names;
  for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

const std::map<std::string, Line>& table() {
  static const std::map<std::string, Line> rows = [] {
    static const std::regex id("[A-Z]+[0-9]+");
    std::map<std::string, Line> all;
    std::istringstream in(text_of(project / "tests/rows.md"));
    for (std::string line; std::getline(in, line);) {
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() < 4 || !std::regex_match(cells[1], id)) continue;
      if (cells.size() == 4)  // a fact
        all[cells[1]] = {.what = cells[2], .tests = quoted(cells[3])};
      else
        all[cells[1]] = {cells[2], cells[3], quoted(cells[4]), cells.at(5)};
    }
    return all;
  }();
  return rows;
}

// The rows that the names of a file's tests begin with, as in TEST(P13, ...), TEST_F(Run, P13_...) and
// TEST(P16_P17, ...).
Names rows_in(const std::string& text) {
  static const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  static const std::regex row("(G|ST|AP|L|P|E|C|D|F)[0-9]+");
  Names rows;
  for (std::sregex_iterator found(text.begin(), text.end(), test), end; found != end; ++found) {
    std::istringstream words((*found)[1].str() + "_" + (*found)[2].str());
    for (std::string word; std::getline(words, word, '_');)
      if (std::regex_match(word, row)) rows.insert(word);
  }
  return rows;
}

TEST(Rows, AllHaveAPathOfTheUserTestsAndAVerdict) {
  for (const auto& [kind, count] : kinds)
    for (int i = 1; i <= count; ++i) {
      const std::string row = fmt::format("{}{}", kind, i);
      const auto found = table().find(row);
      ASSERT_NE(found, table().end()) << row;
      EXPECT_FALSE(found->second.what.empty()) << row;
      EXPECT_FALSE(quoted(found->second.path).empty()) << row;
      EXPECT_FALSE(found->second.tests.empty()) << row;
      EXPECT_TRUE(found->second.verdict.starts_with("works") || found->second.verdict.starts_with("refused"))
          << row;
    }
}

TEST(Rows, NameFilesThatExist) {
  static const std::regex header("[a-z_0-9/]+[.]h");
  for (const auto& [row, line] : table()) {
    for (const std::string& test : line.tests)
      EXPECT_TRUE(fs::is_regular_file(project / "tests" / test)) << test;
    for (const std::string& name : quoted(line.path)) {
      if (std::regex_match(name, header))
        EXPECT_TRUE(fs::is_regular_file(project / "src" / name)) << row << name;
      if (name.starts_with("tests/")) EXPECT_TRUE(fs::exists(project / name)) << row << " " << name;
    }
  }
}

TEST(Rows, ListEveryTestThatNamesThem) {
  std::map<std::string, Names> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project / "tests"))
    if (entry.path().extension() == ".cpp")
      for (const std::string& row : rows_in(text_of(entry.path())))
        files[row].insert(fs::relative(entry.path(), project / "tests").string());
  for (const auto& [row, named] : files) {
    const auto found = table().find(row);
    ASSERT_NE(found, table().end()) << row << " of " << *named.begin();
    for (const std::string& file : named)
      EXPECT_TRUE(found->second.tests.contains(file)) << row << " " << file;
  }
  // And a listed test names the row: programs do in their first lines.
  for (const auto& [row, line] : table())
    for (const std::string& file : line.tests)
      EXPECT_TRUE(files[row].contains(file) || file.starts_with("programs/")) << row << " " << file;
}

}  // namespace
