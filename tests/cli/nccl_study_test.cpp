#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/error.h"
#include "cli/verify.h"
#include "support/folder.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

const fs::path published = fs::path(WT_TEST_DATA) / "measurements/nccl";

std::string said(const fs::path& folder, bool csv) {
  std::ostringstream results, messages;
  cli::verify_nccl_tests({folder.string(), csv}, {results, messages});
  return results.str();
}

struct Row {
  std::int64_t bytes = 0;
  double published = 0, by_class = 0, by_tiny = 0;
};

std::vector<Row> rows(const std::string& csv) {
  std::vector<Row> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line.substr(line.find("\",") + 2));
    std::string platform, bytes, algorithm, protocol, times[3];
    for (std::string* cell : {&platform, &bytes, &algorithm, &protocol, &times[0], &times[1], &times[2]})
      std::getline(cells, *cell, ',');
    rows.push_back({std::stoll(bytes), std::stod(times[0]), std::stod(times[1]), std::stod(times[2])});
  }
  return rows;
}

// One machine with NVSwitches that add, the table of the largest trust; nothing was fitted to single rows.
TEST(NcclTests, EightH100ArePredictedWithinTenPercentFromAMebibyteUp) {
  const test::TestFolder folder;
  fs::copy_file(published / "nccl_dgxh100_1n_dgxc.csv", folder.path() / "table.csv");
  const std::vector<Row> all = rows(said(folder.path(), true));
  EXPECT_EQ(all.size(), 25);  // from 1 KiB up
  for (const Row& row : all) {
    if (row.bytes < 1 << 20) continue;
    EXPECT_NEAR(row.by_class / row.published, 1, row.bytes < 16 << 20 ? 0.10 : 0.05) << row.bytes;
  }
}

// The smallest message of the table tells what its launch takes, so that one is met.
TEST(NcclTests, OneTinyMessageCalibratesASystem) {
  const test::TestFolder folder;
  fs::copy_file(published / "nccl_v100x8_cubemesh.csv", folder.path() / "table.csv");
  double by_class = 0, by_tiny = 0;
  for (const Row& row : rows(said(folder.path(), true))) {
    if (row.bytes > 64 << 10) continue;
    by_class += std::abs(row.by_class / row.published - 1);
    by_tiny += std::abs(row.by_tiny / row.published - 1);
  }
  EXPECT_LT(by_tiny, by_class / 2);
}

TEST(NcclTests, AFolderWithoutKnownTablesIsRefused) {
  const test::TestFolder folder;
  fs::copy_file(fs::path(WT_TEST_DATA) / "measurements/gemm_mamf.csv", folder.path() / "table.csv");
  EXPECT_THROW(said(folder.path(), false), InputError);
}

}  // namespace
}  // namespace wt
