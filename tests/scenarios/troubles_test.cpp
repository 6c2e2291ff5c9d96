// Claim: each trouble in scenarios/troubles/README.md shows beforehand in the line that the table gives, and with its remedy
// no longer.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "cli/command.h"

namespace wt {
namespace {

// A row of the table. Texts in backticks are to be taken as they stand.
struct Trouble {
  std::string number{}, file{}, command{}, line{}, remedy{};

  bool is_program() const { return file.ends_with(".cpp"); }
  std::string path() const {
    return std::string(WT_SOURCE_DIR) + (is_program() ? "/" : "/scenarios/troubles/") + file;
  }
  // "--set", "a=1", "--set", "b=2"; none if the remedy is another one.
  std::vector<std::string> overrides() const {
    std::vector<std::string> words;
    static const std::regex set("--set (\\S+)");
    for (std::sregex_iterator it(remedy.begin(), remedy.end(), set), end; it != end; ++it)
      words.insert(words.end(), {"--set", (*it)[1].str()});
    return words;
  }
};

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t begin = 1, end = row.find(" |", begin); end != row.npos;
       begin = end + 2, end = row.find(" |", begin)) {
    std::string cell = row.substr(begin, end - begin);
    cell.erase(0, cell.find_first_not_of(' '));
    cells.push_back(cell);
  }
  return cells;
}

std::string in_backticks(const std::string& cell) {
  const std::size_t begin = cell.find('`');
  return begin == cell.npos ? cell : cell.substr(begin + 1, cell.find('`', begin + 1) - begin - 1);
}

std::vector<Trouble> troubles() {
  std::vector<Trouble> all;
  std::ifstream table(std::string(WT_SOURCE_DIR) + "/scenarios/troubles/README.md");
  for (std::string row; std::getline(table, row);) {
    const std::vector<std::string> cells = cells_of(row);
    if (cells.size() != 6 || cells[0].find_first_not_of("0123456789") != std::string::npos) continue;
    all.push_back(
        {cells[0], cells[2], in_backticks(cells[3]), in_backticks(cells[4]), in_backticks(cells[5])});
  }
  return all;
}

std::string name_of(const Trouble& trouble) {
  std::string name = std::filesystem::path(trouble.file).stem().string();
  return std::isdigit(name[0]) != 0 ? "Number" + name : name;
}

class EachTrouble : public testing::TestWithParam<Trouble> {
 protected:
  // Standard output and messages together, as on a terminal.
  std::string printed(const std::vector<std::string>& overrides) const {
    const Trouble& trouble = GetParam();
    std::vector<std::string> words;
    std::istringstream command(trouble.command);
    for (std::string word; command >> word;) words.push_back(word);
    words.push_back(trouble.path());
    words.insert(words.end(), overrides.begin(), overrides.end());
    if (trouble.command == "run") words.insert(words.end(), {"--out", (folder_.path() / "out").string()});
    const test::Said said = test::call(words);
    return said.messages + said.results;
  }

  TemporaryFolder folder_{};
};

TEST_P(EachTrouble, ShowsInItsLineUntilItIsMended) {
  const Trouble& trouble = GetParam();
  if (trouble.is_program()) {  // a test of its own, which compares what it prints with its text
    EXPECT_NE(read_text(trouble.path(), {}).find(trouble.line), std::string::npos) << trouble.file;
    return;
  }
  const std::string text = printed({});
  EXPECT_NE(text.find(trouble.line), std::string::npos) << text;
  if (trouble.overrides().empty()) return;
  const std::string mended = printed(trouble.overrides());
  EXPECT_EQ(mended.find(trouble.line), std::string::npos) << mended;
  EXPECT_EQ(mended.find("unknown key"), std::string::npos) << mended;
}

INSTANTIATE_TEST_SUITE_P(Listed, EachTrouble, testing::ValuesIn(troubles()),
                         [](const auto& given) { return name_of(given.param); });

TEST(Troubles, TheTableHasEachFileAndAtLeastTwentyFive) {
  std::set<std::string> listed;
  for (const Trouble& trouble : troubles()) listed.insert(trouble.file);
  EXPECT_GE(troubles().size(), 25u);
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WT_SOURCE_DIR) + "/scenarios/troubles"))
    if (entry.path().extension() == ".json") {
      EXPECT_TRUE(listed.contains(entry.path().filename().string())) << entry.path();
    }
}

}  // namespace
}  // namespace wt
