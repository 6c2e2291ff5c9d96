// Claims: the output of nccl-tests is read as its programs print it, by recordings that were published
// (tests/measurements/nccl_tests/README.md), with the marks of mpirun and srun; predictions of the same size stand
// beside it; and what does not belong together is refused.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>

#include "base/file.h"
#include "cli/command.h"
#include "communication/nccl_tests_output.h"
#include "support/folder.h"

namespace wt {
namespace {

using communication::MeasuredTable, communication::read_nccl_tests;
using test::call, test::number_at, test::Said;

std::string recording(const std::string& name) {
  return std::string(WT_TEST_DATA) + "/measurements/nccl_tests/" + name;
}
MeasuredTable table_of(const std::string& name) {
  return read_nccl_tests(read_text(recording(name)), recording(name));
}

TEST(NcclTestsOutput, HasTheRowsOfARecording) {
  const MeasuredTable table = table_of("dgx_h100.txt");
  EXPECT_EQ(table.name, "dgx_h100.txt");
  EXPECT_EQ(table.ranks, 8);
  ASSERT_EQ(table.rows.size(), 32u);
  const communication::MeasuredRow& last = table.rows.back();
  EXPECT_EQ(last.bytes, Bytes(17179869184));
  EXPECT_EQ(last.count, 4294967296);
  EXPECT_EQ(last.type, "float");
  EXPECT_EQ(last.reduction, "sum");
  EXPECT_DOUBLE_EQ(last.out_of_place.time.count(), 62648e-6);
  EXPECT_EQ(last.out_of_place.busbw, 479.90);
  EXPECT_EQ(last.out_of_place.wrong, 0);
  EXPECT_DOUBLE_EQ(last.in_place->time.count(), 62636e-6);
  // nccl-tests prints the mean of all bus bandwidths at the end: 159.151.
  double sum = 0;
  for (const auto& row : table.rows) sum += row.out_of_place.busbw + row.in_place->busbw;
  EXPECT_NEAR(sum / 64, 159.151, 0.01);
}

TEST(NcclTestsOutput, HasTheRowsOfAnOlderVersion) {
  const MeasuredTable table = table_of("two_dgx_a100.txt");
  EXPECT_FALSE(table.ranks.has_value());
  ASSERT_EQ(table.rows.size(), 30u);
  EXPECT_DOUBLE_EQ(table.rows[14].out_of_place.time.count(), 101e-6);
  EXPECT_EQ(table.rows[14].root, -1);
  EXPECT_EQ(table.rows[14].out_of_place.wrong, std::nullopt);
  double sum = 0;
  for (const auto& row : table.rows) sum += row.out_of_place.busbw + row.in_place->busbw;
  EXPECT_NEAR(sum / 60, 53.7098, 0.01);
}

TEST(NcclTestsOutput, IsReadBehindMarksOfALauncher) {
  for (const std::string mark : {"[1,0]<stdout>:", "0: ", " 12: "}) {
    std::istringstream lines(read_text(recording("dgx_h100.txt")));
    std::string marked = "slurmstepd: something\n";
    for (std::string line; std::getline(lines, line);) marked += mark + line + "\n";
    EXPECT_EQ(read_nccl_tests(marked, "x").rows.size(), 32u) << mark;
    EXPECT_EQ(read_nccl_tests(marked, "x").ranks, 8) << mark;
  }
}

// Versions differ in what they print for operations that add nothing, and containers in the names of the programs.
TEST(NcclTestsOutput, HasTheRowsOfSends) {
  const std::string text =
      "$ mpirun -np 2 sendrecv_perf_mpi -b 8 -e 1M\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw "
      "  busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s) "
      " (GB/s)\n"
      "           8             2     float     sum      -1     9.85    0.00    0.00      0     9.90    0.00 "
      "   0.00    N/A\n"
      "     1048576        262144     float              -1    24.12   43.47   43.47      0    24.05   43.60 "
      "  43.60    N/A\n";
  const MeasuredTable table = read_nccl_tests(text, "x");
  EXPECT_EQ(table.operation, collective::Operation::sendrecv);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].reduction, "none");
  EXPECT_EQ(table.rows[1].root, -1);
  EXPECT_DOUBLE_EQ(table.rows[1].out_of_place.busbw, 43.47);
  EXPECT_EQ(table.rows[1].in_place->wrong, std::nullopt);
}

// Whatever the program, the number of ranks and of machines: the table is read, and every size of it is predicted.
TEST(MeasuredCollectives, TablesOfAllProgramsStandBesidePredictions) {
  const test::TestFolder folder;
  for (const auto& [program, operation] :
       {std::pair{"all_reduce_perf", "all_reduce"}, std::pair{"all_gather_perf", "all_gather"},
        std::pair{"reduce_scatter_perf", "reduce_scatter"}, std::pair{"broadcast_perf", "broadcast"},
        std::pair{"reduce_perf", "reduce"}, std::pair{"alltoall_perf", "all_to_all"},
        std::pair{"sendrecv_perf", "sendrecv"}}) {
    std::string text = fmt::format("# Collective test starting: {}\n", program) +
                       "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
    for (const int bytes : {0, 8, 1024, 1 << 20, 64 << 20})
      text += fmt::format("{} {} float none -1 50.0 1 1 0 50.0 1 1 N/A\n", bytes, bytes / 4);
    write_text((folder.path() / "table.txt").string(), text);
    for (const auto& [ranks, machines] :
         {std::pair{2, 1}, std::pair{3, 1}, std::pair{8, 1}, std::pair{16, 2}}) {
      const Said said = call({"collective", "--platform", "dgx_a100", "--set",
                              fmt::format("machines={}", machines), "--ranks", fmt::format("{}", ranks),
                              "--op", operation, "--measured", (folder.path() / "table.txt").string()});
      EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
      EXPECT_NE(said.results.find("median error of auto"), std::string::npos) << said.results;
      EXPECT_NE(said.results.find("67108864"), std::string::npos);
    }
  }
}

TEST(NcclTestsOutput, NamesTheOperationOfACommand) {
  const std::string text = read_text(recording("dgx_h100.txt"));
  const auto operation = [&](const std::string& line) {
    return read_nccl_tests(line + "\n" + text, "x").operation;
  };
  EXPECT_EQ(operation("$ ./build/all_reduce_perf -b 8"), collective::Operation::all_reduce);
  EXPECT_EQ(operation("# Collective test starting: reduce_perf"), collective::Operation::reduce);
  EXPECT_EQ(operation("mpirun ./my_reduce_perfect"), std::nullopt);
}

TEST(NcclTestsOutput, RefusesWhatIsNoTable) {
  EXPECT_THROW(read_nccl_tests("", "x"), InputError);
  EXPECT_THROW(read_nccl_tests(std::string("\0\xff\n# size time\n", 14), "x"), InputError);
  const std::string head = "# size count type time algbw busbw\n";
  for (const std::string row :
       {"8 2 float -1 0 0", "8 2 float nan 0 0", "8 2 float 0 0 0", "8 2 float x 0 0"})
    EXPECT_THROW(read_nccl_tests(head + row, "x"), InputError) << row;
}

// ---- collective --measured

Said collective(std::vector<std::string> more) {
  more.insert(more.begin(), {"collective", "--platform", "dgx_h100"});
  return call(more);
}

TEST(CollectiveMeasured, StandsBesideThePredictionOfItsSize) {
  const Said said = collective({"--measured", recording("dgx_h100.txt"), "--json"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value tree = json::parse(said.results, "rows");
  const auto& rows = tree.find("rows")->elements();
  const auto& measured = tree.find("measured")->elements().front().find("rows")->elements();
  ASSERT_EQ(rows.size(), 32u);
  ASSERT_EQ(measured.size(), 32u);
  std::vector<double> errors;
  for (std::size_t i = 0; i < 32; ++i) {
    const json::Value& predicted = measured[i].find("predicted")->elements().front();
    EXPECT_EQ(number_at(predicted, {"time_us"}), number_at(rows[i], {"time_us"}));
    EXPECT_EQ(number_at(measured[i], {"bytes"}), number_at(rows[i], {"bytes"}));
    EXPECT_NEAR(number_at(predicted, {"error"}),
                number_at(rows[i], {"time_us"}) / number_at(measured[i], {"time_us"}) - 1, 1e-12);
    errors.push_back(std::abs(number_at(predicted, {"error"})));
  }
  std::ranges::sort(errors);
  const Said text = collective({"--measured", recording("dgx_h100.txt")});
  const std::string line =
      fmt::format("# median error of auto: {:.1f} % over 32 sizes\n", 50 * (errors[15] + errors[16]));
  EXPECT_NE(text.results.find(line), std::string::npos) << line;
}

TEST(CollectiveMeasured, KeepsTheSizesThatTheUserNamed) {
  const Said said = collective(
      {"--measured", recording("dgx_h100.txt"), "--sizes", "1MiB,3MiB", "--algorithm", "ring,tree"});
  EXPECT_NE(said.results.find("# median error of tree: "), std::string::npos);
  EXPECT_NE(said.results.find("over 1 size\n"), std::string::npos);
}

TEST(CollectiveMeasured, LeavesOutSizesThatAreTooSmallForAllRanks) {
  const Said said = collective({"--op", "all_gather", "--measured", recording("dgx_h100.txt")});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NE(said.messages.find("left out: 2 sizes below 32 B"), std::string::npos) << said.messages;
}

TEST(CollectiveMeasured, IsDrawnInTheReport) {
  const test::TestFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(collective({"--measured", recording("dgx_h100.txt"), "--report", "--out", out}).exit,
            cli::Exit::done);
  const json::Value report = json::parse_file(folder / "out/report.json");
  const json::Value& shown = report.find("results")->elements().front();
  const json::Value& rows = *shown.find("measured")->elements().front().find("rows");
  for (std::size_t i = 0; i < 32; ++i) {
    const double predicted = rows.find("predicted_s")->elements()[i].real();
    EXPECT_EQ(predicted, shown.find("rows")->find("time_s")->elements()[i].real());
    EXPECT_DOUBLE_EQ(rows.find("error")->elements()[i].real(),
                     predicted / rows.find("time_s")->elements()[i].real() - 1);
  }
}

TEST(CollectiveMeasured, RefusesWhatDoesNotBelongTogether) {
  const test::TestFolder folder;
  const std::string named =
      folder.write("named.txt", "./all_gather_perf\n" + read_text(recording("dgx_h100.txt"))).string();
  const Said said = collective({"--measured", named, "--ranks", "4", "-d", "half"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  for (const char* part : {"give --op all_gather", "give --ranks 8", "give -d float"})
    EXPECT_NE(said.messages.find(part), std::string::npos) << said.messages;
  EXPECT_EQ(collective({"--measured", (folder / "none.txt").string()}).exit, cli::Exit::input_wrong);
}

}  // namespace
}  // namespace wt
