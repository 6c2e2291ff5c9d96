// Claim: every include in src/ obeys the two tables at the top of the root CMakeLists.txt, which say what a
// layer uses and in which rooms a package's headers may appear. The checker itself is shown made-up files
// first.

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Package {
  std::string name{};
  Words rooms{};
  Words headers{};
};

struct Tables {
  std::map<std::string, Words> uses_of{};
  std::vector<Package> packages{};
};

// `USES base tensor` among the words of a row is {"base", "tensor"}; a word in capitals starts the next list.
Words list_after(const Words& row, std::string_view keyword) {
  const auto is_keyword = [](const std::string& word) {
    return word == "USES" || word == "IN" || word == "HEADERS" || word == "LINK";
  };
  const auto start = std::find(row.begin(), row.end(), keyword);
  if (start == row.end()) return {};
  return Words(start + 1, std::find_if(start + 1, row.end(), is_keyword));
}

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return Words(std::istream_iterator<std::string>(stream), {});
}

// Reads the lines `layer(...)` and `package(...)`; each row is one line.
Tables read_tables(const std::string& cmake) {
  Tables tables;
  std::istringstream lines(cmake);
  for (std::string line; std::getline(lines, line);) {
    const bool is_layer = line.starts_with("layer(");
    if (!is_layer && !line.starts_with("package(")) continue;
    const auto open = line.find('('), close = line.find(')');
    const Words row = words_of(line.substr(open + 1, close - open - 1));
    if (is_layer) {
      tables.uses_of[row.at(0)] = list_after(row, "USES");
    } else {
      tables.packages.push_back({row.at(0), list_after(row, "IN"), list_after(row, "HEADERS")});
    }
  }
  return tables;
}

struct Include {
  int line{};
  std::string header{};
  bool is_quoted{};
};

std::vector<Include> includes_of(const std::string& source) {
  std::vector<Include> found;
  std::istringstream lines(source);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto skip_blanks = [&](std::size_t at) {
      return std::min(line.find_first_not_of(" \t", at), line.size());
    };
    std::size_t at = skip_blanks(0);
    if (line.compare(at, 1, "#") != 0) continue;
    at = skip_blanks(at + 1);
    if (line.compare(at, 7, "include") != 0) continue;
    at = skip_blanks(at + 7);
    if (at == line.size() || (line[at] != '"' && line[at] != '<')) continue;
    const bool is_quoted = line[at] == '"';
    const std::size_t end = line.find(is_quoted ? '"' : '>', at + 1);
    if (end != std::string::npos) found.push_back({number, line.substr(at + 1, end - at - 1), is_quoted});
  }
  return found;
}

bool is_inside(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

std::string first_folder(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// What is wrong with `header`, included by the file `path` (relative to src/)? "": nothing.
std::string complaint_about(const Tables& tables, const std::string& path, const Include& include) {
  const std::string& header = include.header;
  const std::string layer = first_folder(path), target = first_folder(header);
  for (const Package& package : tables.packages) {
    const auto matches = [&](const std::string& prefix) { return header.starts_with(prefix); };
    if (std::none_of(package.headers.begin(), package.headers.end(), matches)) continue;
    const auto holds = [&](const std::string& room) { return is_inside(path, room); };
    if (std::any_of(package.rooms.begin(), package.rooms.end(), holds)) return "";
    return fmt::format("{} belongs in {} only", package.name, fmt::join(package.rooms, ", "));
  }
  if (tables.uses_of.contains(target)) {
    const Words& uses = tables.uses_of.at(layer);
    if (target != layer && std::find(uses.begin(), uses.end(), target) == uses.end()) {
      return fmt::format("{} doesn't use {}", layer, target);
    }
    return "";
  }
  if (include.is_quoted) return "not a path from src/ into a layer of the table";
  if (target.empty() || target == "fmt" || target == "sys") return "";
  return "a package without a row in the table";
}

Words complaints_about(const Tables& tables, const std::string& path, const std::string& source) {
  if (!tables.uses_of.contains(first_folder(path))) return {path + ": its folder has no row in the table"};
  Words complaints;
  for (const Include& include : includes_of(source)) {
    const std::string complaint = complaint_about(tables, path, include);
    if (complaint.empty()) continue;
    complaints.push_back(fmt::format("{}:{}: {}: {}", path, include.line, include.header, complaint));
  }
  return complaints;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

const fs::path root = WT_SOURCE_DIR;

Tables real_tables() { return read_tables(read(root / "CMakeLists.txt")); }

// ---- The checker can be seen to fail
// ------------------------------------------------------------------------

Words check(const std::string& path, const std::string& source) {
  const Tables tables = read_tables(
      "function(layer name)\n"
      "# layer(dream USES base)\n"
      "layer(base)\n"
      "layer(device USES base)\n"
      "layer(kernel    USES base device)  # floors are named one by one\n"
      "layer(plan USES kernel)\n"
      "package(json IN base HEADERS nlohmann/ LINK nlohmann_json::nlohmann_json)\n"
      "package(gpu IN device/cuda kernel/cuda HEADERS cuda cublas)\n");
  return complaints_about(tables, path, source);
}

TEST(LayersChecker, AcceptsOwnFolderUsesAndStandardHeaders) {
  EXPECT_EQ(
      check("kernel/a.cpp",
            "#include \"kernel/a.h\"\n#include <vector>\n#include \"base/b.h\"\n#include <fmt/core.h>\n"),
      Words{});
}

TEST(LayersChecker, RefusesAnIncludeThatPointsUp) {
  EXPECT_EQ(check("base/a.h", "#pragma once\n#include \"kernel/kernel.h\"\n"),
            Words{"base/a.h:2: kernel/kernel.h: base doesn't use kernel"});
}

TEST(LayersChecker, DoesNotHandUsesOn) {
  EXPECT_EQ(check("plan/a.h", "#include \"base/b.h\"\n"),
            Words{"plan/a.h:1: base/b.h: plan doesn't use base"});
}

TEST(LayersChecker, SeesThroughBlanksAndAngleBrackets) {
  EXPECT_EQ(check("base/a.h", "  #  include\t<kernel/kernel.h>  // why\n"),
            Words{"base/a.h:1: kernel/kernel.h: base doesn't use kernel"});
}

TEST(LayersChecker, IgnoresIncludesInComments) {
  EXPECT_EQ(check("base/a.h", "// #include \"plan/a.h\"\n"), Words{});
}

TEST(LayersChecker, KeepsPackagesInTheirRooms) {
  EXPECT_EQ(check("base/json.cpp", "#include <nlohmann/json.hpp>\n"), Words{});
  EXPECT_EQ(check("kernel/a.cpp", "#include <nlohmann/json.hpp>\n"),
            Words{"kernel/a.cpp:1: nlohmann/json.hpp: json belongs in base only"});
  EXPECT_EQ(check("kernel/cuda/a.cu", "#include <cuda_runtime.h>\n#include \"cublas_v2.h\"\n"), Words{});
  EXPECT_EQ(check("kernel/cuda.cpp", "#include \"cuda_runtime.h\"\n"),
            Words{"kernel/cuda.cpp:1: cuda_runtime.h: gpu belongs in device/cuda, kernel/cuda only"});
}

TEST(LayersChecker, RefusesAPackageWithoutARow) {
  EXPECT_EQ(check("base/a.h", "#include <boost/any.hpp>\n"),
            Words{"base/a.h:1: boost/any.hpp: a package without a row in the table"});
}

TEST(LayersChecker, RefusesPathsThatDoNotStartAtTheRoot) {
  EXPECT_EQ(check("kernel/a.cpp", "#include \"a.h\"\n#include \"../base/b.h\"\n"),
            (Words{"kernel/a.cpp:1: a.h: not a path from src/ into a layer of the table",
                   "kernel/a.cpp:2: ../base/b.h: not a path from src/ into a layer of the table"}));
}

TEST(LayersChecker, RefusesAFolderWithoutARow) {
  EXPECT_EQ(check("dream/a.cpp", ""), Words{"dream/a.cpp: its folder has no row in the table"});
  EXPECT_EQ(check("a.cpp", ""), Words{"a.cpp: its folder has no row in the table"});
}

// ---- The claim
// ----------------------------------------------------------------------------------------------

TEST(Layers, EveryIncludeObeysTheTables) {
  const Tables tables = real_tables();
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string path = entry.path().lexically_relative(root / "src").generic_string();
    if (!entry.is_regular_file() || first_folder(path).empty()) continue;  // README.md, STYLE.md
    ++files;
    for (const std::string& complaint : complaints_about(tables, path, read(entry.path()))) {
      ADD_FAILURE() << "src/" << complaint;
    }
  }
  EXPECT_GT(files, 0);
}

TEST(Layers, EveryRowHasItsFolder) {
  const Tables tables = real_tables();
  EXPECT_GE(tables.uses_of.size(), 9u);
  EXPECT_GE(tables.packages.size(), 7u);
  for (const auto& [layer, uses] : tables.uses_of) {
    EXPECT_TRUE(fs::is_directory(root / "src" / layer)) << layer << " has a row and no folder";
  }
}

}  // namespace
