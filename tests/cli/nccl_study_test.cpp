#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "cli/verify.h"
#include "support/folder.h"

namespace wt {
namespace {

namespace fs = std::filesystem;

const fs::path published = fs::path(WT_TEST_DATA) / "measurements/nccl";

struct Said {
  std::string results{}, messages{};
};

Said say(const cli::VerifyNcclTestsOptions& options) {
  std::ostringstream results, messages;
  cli::verify_nccl_tests(options, {results, messages});
  return {results.str(), messages.str()};
}

std::string said(const fs::path& folder, bool csv) { return say({folder.string(), csv}).results; }

// The table of one file, with its times multiplied.
void write_table(const fs::path& to, const std::string& file, double factor = 1) {
  std::istringstream lines(read_text((published / file).string()));
  std::string text, line;
  std::getline(lines, line);
  text = line + "\n";
  while (std::getline(lines, line)) {
    const std::size_t unit = line.rfind(','), value = line.rfind(',', unit - 1);
    text += line.substr(0, value + 1) +
            fmt::format("{}", std::stod(line.substr(value + 1, unit - value - 1)) * factor) +
            line.substr(unit) + "\n";
  }
  write_text((to / file).string(), text);
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

// Whoever has a table of a machine that this program describes needs no further list.
TEST(NcclTests, TablesOfAllOperationsMayNameAPlatform) {
  const test::TestFolder folder;
  std::string text =
      "source,system,devices,nodes,gpus_per_node,strategy_or_algo,model_or_op,bytes_or_batch,dtype,metric,"
      "value,unit\n";
  int tables = 0;
  for (const char* operation : {"all_reduce(sum)", "all_gather", "reduce_scatter(sum)", "broadcast",
                                "reduce(sum)", "alltoall", "sendrecv", "gather", "scatter"})
    for (const auto& [devices, nodes] : {std::pair{2, 1}, std::pair{3, 1}, std::pair{8, 1}, std::pair{2, 2},
                                         std::pair{16, 2}, std::pair{6, 3}}) {
      ++tables;
      for (const int bytes : {1024, 3000, 1 << 22})
        text += fmt::format("mine,dgx_a100,{},{},8,default,{},{},float,time_out_of_place,100,us\n", devices,
                            nodes, operation, bytes);
    }
  text += "mine,a machine of ours,2,1,2,default,sendrecv,1024,float,time_out_of_place,100,us\n";
  write_text((folder.path() / "table.csv").string(), text);
  const Said all = say({folder.path().string(), true});
  const std::vector<Row> found = rows(all.results);
  EXPECT_EQ(found.size(), 3 * tables);
  for (const Row& row : found) {
    EXPECT_GT(row.by_class, 5);
    EXPECT_LT(row.by_class, 10'000);
  }
  EXPECT_EQ(all.messages,
            "note: 1 row of \"a machine of ours\" left out: write the name of a platform in the column "
            "\"system\"\n");
}

// Bandwidth of a ring of sends among 16 and 32 B200, of which no number was read off.
TEST(NcclTests, SendsBetweenMachinesAreAsPublished) {
  const test::TestFolder folder;
  fs::copy_file(published / "nccl_together_b200_sendrecv.csv", folder.path() / "table.csv");
  const std::vector<Row> all = rows(said(folder.path(), true));
  EXPECT_EQ(all.size(), 34);  // two of each table's 19 sizes have a bandwidth of a single digit
  double sum = 0;
  for (const Row& row : all) {
    EXPECT_NEAR(row.by_class / row.published, 1, row.bytes < 16 << 20 ? 0.45 : 0.20) << row.bytes;
    sum += std::abs(row.by_class / row.published - 1);
  }
  EXPECT_LT(sum / static_cast<double>(all.size()), 0.20);
}

// Rows whose source says how many GPUs took part and what was forced. NCCL has no NVLS among four.
TEST(NcclTests, RowsMayForceAnAlgorithmAmongSomeOfTheDevices) {
  const test::TestFolder folder;
  write_table(folder.path(), "stas_allreduce_h200_b200_mi300x.csv");
  const Said all = say({folder.path().string(), true});
  std::map<std::string, int> count;
  std::istringstream lines(all.results);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("\"H200 x4 to x8") && !line.starts_with("\"p5en")) continue;
    const Row row = rows("\n" + line).front();
    EXPECT_NEAR(row.by_class / row.published, 1, 0.05) << line;
    ++count[line.find(",nvls,") != std::string::npos ? "nvls" : "other"];
  }
  EXPECT_EQ(count["nvls"], 5) << "5 to 8 GPUs at 8 GiB, 8 at 16 GiB";
  EXPECT_EQ(count["other"], 6 + 2 + 2)
      << "rings of 4 to 8 and of 8, an all-gather and a reduce-scatter, p5en";
  EXPECT_EQ(all.messages, "");
}

// Neither the crossings of EFA on Blackwell nor the tuner's regions were read off these rows. Below 512 KiB the source
// took longer the smaller a message was, up to 6 ms.
TEST(NcclTests, FourP6ArePredictedWithoutANumberOfTheirs) {
  const test::TestFolder folder;
  write_table(folder.path(), "stas_allreduce_h200_b200_mi300x.csv");
  std::istringstream lines(said(folder.path(), true));
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("\"p6, 4 nodes")) continue;
    const Row row = rows("\n" + line).front();
    if (row.bytes < 512 << 10) continue;
    EXPECT_NEAR(row.by_class / row.published, 1, 0.20) << row.bytes;
    sum += std::abs(row.by_class / row.published - 1), ++count;
  }
  EXPECT_EQ(count, 16);
  EXPECT_LT(sum / count, 0.08);
}

// Messages that are staged through the memory of the host: a flat start, where the latency is hidden, and caches that
// hold less and less of the vector.
TEST(NcclTests, StagedMessagesHideTheirLatency) {
  const test::TestFolder folder;
  write_table(folder.path(), "nccl_rtx2080ti_x8_pcie.csv");
  for (const Row& row : rows(said(folder.path(), true))) {
    if (row.bytes == 256 << 10) continue;  // its NCCL left LL one size earlier than NCCL 2.30 would
    EXPECT_NEAR(row.by_class / row.published, 1, 0.08) << row.bytes;
  }
}

std::vector<double> left_out(const std::string& csv, const std::string& table) {
  std::vector<double> times;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("\"" + table + "\"")) times.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  return times;
}

// Nothing that is predicted of a system that is left out may come from its own times.
TEST(NcclTests, ASystemThatIsLeftOutTellsNothing) {
  const test::TestFolder folder, changed;
  for (const test::TestFolder* each : {&folder, &changed}) {
    write_table(each->path(), "nccl_aws_p5_2n.csv");
    write_table(each->path(), "nccl_nebius_2n.csv", each == &folder ? 1 : 3);
  }
  const std::string first = say({folder.path().string(), true, true}).results,
                    second = say({changed.path().string(), true, true}).results;
  const std::vector<double> times = left_out(first, "H100, 2 nodes, InfiniBand");
  EXPECT_EQ(times.size(), 24);
  EXPECT_EQ(times, left_out(second, "H100, 2 nodes, InfiniBand"));
  EXPECT_NE(left_out(first, "p5, 2 nodes, EFA"), left_out(second, "p5, 2 nodes, EFA"))
      << "the loop of NVLSTree on Hopper is read off the other table";
}

TEST(NcclTests, AClassThatNoOtherTableHasTakesTheNearestOne) {
  const test::TestFolder folder;
  write_table(folder.path(), "nccl_gcp_a3mega_2n.csv");
  const std::string text = say({folder.path().string(), false, true}).results;
  EXPECT_NE(text.find("Without 2x GCP A3 Mega:\n"
                      "  TCPXO: a crossing of Simple: the first generation of EFA's\n"),
            std::string::npos)
      << text;
}

TEST(NcclTests, AFolderWithoutKnownTablesIsRefused) {
  const test::TestFolder folder;
  fs::copy_file(fs::path(WT_TEST_DATA) / "measurements/gemm_mamf.csv", folder.path() / "table.csv");
  EXPECT_THROW(said(folder.path(), false), InputError);
  EXPECT_NE(folder.error_of<InputError>([] { said(published.parent_path(), false); })
                .find("give " + published.string() + ", or write"),
            std::string::npos);
}

}  // namespace
}  // namespace wt
