// Claim: every bad input of errors/ is refused with the text that stands beside it: where it is, what is
// wrong, what would mend it. `NAME.json` is the scenario, its lines `// --set key=value` the command line,
// `NAME.txt` the text. They run in a folder of their own, beside the files that the scenarios name.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <vector>

#include "scenario/build.h"
#include "scenario/golden.h"
#include "scenario/parse.h"
#include "support/folder.h"

namespace wt::scenario {
namespace {

namespace fs = std::filesystem;

const fs::path cases = fs::path(WT_TEST_DATA) / "scenario" / "errors";

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

// uint8 zeros with the header of LeCun's IDX; `given` of them are really there.
std::string idx(const std::vector<std::uint32_t>& extents, std::size_t given) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents) bytes += big_endian(extent);
  return bytes + std::string(given, '\0');
}

std::string safetensors(const std::string& header, std::size_t bytes_of_numbers) {
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  return length + header + std::string(bytes_of_numbers, '\0');
}

struct File {
  std::string name{};
  std::string bytes{};
};

std::vector<File> broken_files() {
  const std::string rows =
      R"({"x":{"dtype":"F32","shape":[4,1],"data_offsets":[0,16]},"y":{"dtype":"F32","shape":[4],"data_offsets":[16,32]}})";
  return {
      {"large.idx", idx({4, 32, 32}, 4096)},
      {"five_images.idx", idx({5, 28, 28}, 3920)},
      {"four_labels.idx", idx({4}, 4)},
      {"cut_off.idx", idx({4, 28, 28}, 1000)},
      {"rows.safetensors", safetensors(rows, 32)},
      {"flowers.csv", "petal,sepal,species\n1.5,2,setosa\n,3,virginca\n1.7,4;1,setosa\n1.2,5\n"},
      {"numbers.csv", "1.5,2,0\n1.2,3,1\n"},
      {"cut_off.safetensors", safetensors(rows, 20)},
      {"broken_model.json", "{\n  \"class_name\": \"Sequential\",\n  \"config\": [\n}\n"},
      {"no_model.json", "{ \"layers\": [] }\n"},
      {"lambda_model.json",
       "{\n  \"class_name\": \"Sequential\",\n  \"config\": {\n    \"name\": \"m\",\n    \"layers\": [\n"
       "      { \"class_name\": \"Lambda\", \"config\": { \"name\": \"twice\", \"function\": [\"4wEA\", "
       "null, null] } }\n"
       "    ]\n  }\n}\n"},
  };
}

// The working folder of all cases.
class Errors : public testing::Test {
 protected:
  Errors() : before_(fs::current_path()) {
    for (const File& file : broken_files()) folder_.write(file.name, file.bytes);
    fs::current_path(folder_.path());
  }
  ~Errors() override { fs::current_path(before_); }

 private:
  fs::path before_;
  test::TestFolder folder_{};
};

std::vector<std::string> overrides_of(const std::string& text) {
  constexpr std::string_view mark = "// --set ";
  std::vector<std::string> overrides;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) overrides.push_back(line.substr(mark.size()));
  }
  return overrides;
}

std::vector<Problem> problems_of(const std::string& text, const std::string& file) {
  try {
    build(parse(text, file, overrides_of(text)));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

TEST_F(Errors, SayWhereWhatAndHowToMendIt) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(cases)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 60u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::vector<Problem> problems = problems_of(text_of(file), file.filename().string());
    ASSERT_FALSE(problems.empty()) << "it was accepted";
    for (const Problem& problem : problems) {
      EXPECT_NE(problem.fact, "");
      EXPECT_NE(problem.remedy, "") << problem.fact;
    }
    fs::path expected = file;
    expect_golden(expected.replace_extension(".txt"), std::string(InputError(problems).what()) + "\n");
  }
}

}  // namespace
}  // namespace wt::scenario
