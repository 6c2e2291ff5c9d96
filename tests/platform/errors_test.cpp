// Claim: every wrong platform file of errors/ is reported with the text in the file beside it: the place, the
// fact and the remedy.

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/load.h"
#include "scenario/golden.h"

namespace wt::platform {
namespace {

namespace fs = std::filesystem;

const fs::path cases = fs::path(WT_TEST_DATA) / "platform" / "errors";

std::vector<Problem> problems_of(const fs::path& file) {
  try {
    from_json(json::parse(text_of(file), file.filename().string()));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

TEST(Errors, SayWhereWhatAndHowToMendIt) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(cases))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 35u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::vector<Problem> problems = problems_of(file);
    ASSERT_FALSE(problems.empty()) << "it was accepted";
    for (const Problem& problem : problems) {
      EXPECT_NE(problem.fact, "");
      EXPECT_GT(problem.place.line, 0) << problem.fact;
    }
    fs::path expected = file;
    expect_golden(expected.replace_extension(".txt"), std::string(InputError(problems).what()) + "\n");
  }
}

}  // namespace
}  // namespace wt::platform
