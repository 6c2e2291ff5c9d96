// `collective`: nccl-tests' columns on described machines, and what it refuses.
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call;

std::vector<std::string> ideal(std::vector<std::string> more, const std::string& platform = "ideal_switch") {
  more.insert(more.begin(), {"collective", "--platform", platform});
  return more;
}

std::string refusal(std::vector<std::string> more) {
  const test::Said said = call(ideal(std::move(more)));
  EXPECT_EQ(said.exit, Exit::input_wrong);
  EXPECT_EQ(said.results, "");
  return said.messages;
}

const json::Value& row(const json::Value& tree, std::size_t i) { return tree.find("rows")->elements().at(i); }

TEST(Collective, PrintsTheColumnsOfNcclTestsAndTheBound) {
  // 4 ranks on 100 GB/s and 2 us: 6 latencies, and 1.5 times the vector over the link.
  const test::Said said = call(ideal({"--sizes", "4KiB,100MB"}));
  EXPECT_EQ(said.exit, Exit::done);
  EXPECT_EQ(
      said.results,
      "# all_reduce of 4 ranks on ideal_switch, simulated\n"
      "       size       count     type  redop  root     time   algbw   busbw    bound  of bound  algorithm\n"
      "        (B)  (elements)                           (us)  (GB/s)  (GB/s)     (us)       (%)\n"
      "       4096        1024  float32    sum    -1    12.06    0.34    0.51     0.06       0.5  ring\n"
      "  100000000    25000000  float32    sum    -1  1512.00   66.14   99.21  1500.00      99.2  ring\n"
      "# Avg bus bandwidth: 49.86 GB/s\n"
      "# GB/s are decimal: 1e9 bytes per second\n"
      "# basis: schedule moves on achieved link rates; sums take no time; no library's protocols, channels "
      "or "
      "call overhead yet, so small sizes are off, mostly too fast\n");
}

TEST(Collective, WritesJsonForScripts) {
  const test::Said said = call(ideal({"--algorithm", "two_shot,ring", "--sizes", "400,1MB", "--json"}));
  ASSERT_EQ(said.exit, Exit::done) << said.messages;
  const json::Value tree = json::parse(said.results, "rows.json");
  ASSERT_EQ(tree.find("rows")->elements().size(), 4u);
  EXPECT_EQ(row(tree, 0).find("algorithm")->string(), "two_shot");
  EXPECT_EQ(row(tree, 0).find("bytes")->integer(), 400);
  EXPECT_NEAR(test::number_at(row(tree, 1), {"time_us"}), 2 * 2 + 15, 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"time_us"}), 6 * 2 + 15, 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"bound_us"}), 15, 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"busbw"}), 1e6 / 27e-6 / 1e9 * 1.5, 1e-9);
}

TEST(Collective, CountsAndFactorsAreThoseOfNcclTests) {
  struct Case {
    std::string operation{};
    std::string line{};  // bytes, count, type, redop, root
    double factor = 0;
  };
  for (const Case& each :
       {Case{"all_gather", "96,6,float32,none,-1", 0.75}, Case{"reduce_scatter", "96,6,float32,sum,-1", 0.75},
        Case{"all_to_all", "96,6,float32,none,-1", 0.75}, Case{"gather", "96,6,float32,none,2", 0.75},
        Case{"scatter", "96,6,float32,none,2", 0.75}, Case{"broadcast", "100,25,float32,none,2", 1},
        Case{"reduce", "100,25,float32,sum,2", 1}, Case{"all_reduce", "100,25,float32,sum,-1", 1.5}}) {
    const auto call_with = [&](const std::string& form) {
      return call(ideal({"--op", each.operation, "--root", "2", "--sizes", "100", form})).results;
    };
    EXPECT_NE(call_with("--csv").find("\n" + each.line + ","), std::string::npos) << call_with("--csv");
    const json::Value tree = json::parse(call_with("--json"), "rows.json");
    EXPECT_NEAR(test::number_at(row(tree, 0), {"busbw"}),
                test::number_at(row(tree, 0), {"algbw"}) * each.factor, 1e-12);
  }
}

TEST(Collective, ReadsSizesAsNcclTestsDoes) {
  const auto sizes = [](std::vector<std::string> more) {
    more.push_back("--json");
    std::vector<std::int64_t> found;
    const json::Value tree = json::parse(call(ideal(std::move(more))).results, "rows.json");
    for (const json::Value& each : tree.find("rows")->elements())
      found.push_back(each.find("bytes")->integer());
    return found;
  };
  EXPECT_EQ(sizes({"-b", "8", "-e", "128"}), (std::vector<std::int64_t>{8, 16, 32, 64, 128}));
  EXPECT_EQ(sizes({"-b", "1K", "-e", "1M", "-f", "32"}), (std::vector<std::int64_t>{1024, 32768, 1048576}));
  EXPECT_EQ(sizes({"--sizes", "1 KB,1KiB,1003"}), (std::vector<std::int64_t>{1000, 1024, 1000}));
}

TEST(Collective, LeavesOutWhatCannotBeTimedAndSaysSo) {
  const test::Said said = call(ideal({"--algorithm", "all", "--ranks", "3", "--sizes", "1MB", "--csv"}));
  EXPECT_EQ(said.exit, Exit::done);
  EXPECT_NE(said.results.find(",two_shot\n"), std::string::npos);
  EXPECT_NE(said.messages.find("left out: nvls lets switches add, which described machines can't yet\n"),
            std::string::npos)
      << said.messages;
  EXPECT_NE(said.messages.find("left out: swing is for an even number of ranks, not for 3\n"),
            std::string::npos);
}

TEST(Collective, FollowsTheMachinesWhereNobodyGivesAShape) {
  const auto time = [](std::vector<std::string> more) {
    std::vector<std::string> all{"collective", "--platform", "dgx_a100", "--set",      "machines=2",
                                 "--sizes",    "64MiB",      "--json",   "--algorithm"};
    all.insert(all.end(), more.begin(), more.end());
    const json::Value tree = json::parse(call(all).results, "rows.json");
    return test::number_at(row(tree, 0), {"time_us"});
  };
  EXPECT_EQ(time({"hierarchical"}), time({"hierarchical", "--option", "shape=8x2"}));
  EXPECT_LT(time({"hierarchical"}), time({"hierarchical", "--option", "shape=4x4"}));
}

TEST(Collective, NumbersTheRanksOfATorusByTheirCoordinates) {
  const test::Said said = call({"collective", "--platform", "tpu_v4", "--set", "slice=4x4x4", "--algorithm",
                                "torus_3d_bucket", "--sizes", "1GiB", "--json"});
  const json::Value tree = json::parse(said.results, "rows.json");
  EXPECT_GT(test::number_at(row(tree, 0), {"bound_us"}) / test::number_at(row(tree, 0), {"time_us"}), 0.99);
}

TEST(Collective, PrintsTheScheduleThatIsTimed) {
  const test::Said said = call(ideal({"--ranks", "2", "--sizes", "80", "--print-schedule"}));
  EXPECT_EQ(said.results,
            "schedule ring\noperation all_reduce\nranks 2\ncut 20 elements into 2 chunks\n"
            "0 reduce 0 to 1 chunks 1\n1 reduce 1 to 0 chunks 0\n2 copy 0 to 1 chunks 0 start 1\n"
            "3 copy 1 to 0 chunks 1 start 0\n");
}

TEST(Collective, TimesSchedulesFromFilesAsTheirAlgorithms) {
  const test::TestFolder folder;
  const std::string file = (folder.path() / "mine.schedule").string();
  write_text(file, call(ideal({"--algorithm", "two_shot", "--sizes", "400", "--print-schedule"})).results);
  EXPECT_EQ(call(ideal({"--algorithm", file, "--sizes", "400,1MB"})).results,
            call(ideal({"--algorithm", "two_shot", "--sizes", "400,1MB"})).results);
  EXPECT_EQ(refusal({"--algorithm", file, "--ranks", "3"}),
            file + " is for 4 ranks, not for 3\nsay --ranks 4\n");
  EXPECT_EQ(refusal({"--algorithm", file, "--op", "reduce"}),
            file + " is for all_reduce\nsay --op all_reduce\n");
  write_text(
      file,
      "schedule mine\noperation all_reduce\nranks 2\ncut 2 elements into 1 chunks\n0 copy 0 to 1 chunks 0\n");
  EXPECT_EQ(refusal({"--algorithm", file, "--ranks", "2"}),
            file + ": rank 1 is left out: nobody gets what it brings\n");
}

TEST(Collective, TellsTheLoadOfEachLink) {
  const std::string text = call(ideal({"--ranks", "2", "--sizes", "100MB", "--links"})).results;
  EXPECT_NE(text.find("# links of ring at 95.4 MiB, the fullest first:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  95.4 MiB  100.0 GB/s  99.6 %\n"), std::string::npos) << text;
}

TEST(Collective, RefusesWhatItCannotDo) {
  EXPECT_EQ(
      refusal({"--op", "all_redcue"}),
      "\"all_redcue\" is not an operation\ndid you mean \"all_reduce\"? known: all_reduce, reduce_scatter, "
      "all_gather, broadcast, reduce, gather, scatter, all_to_all\n");
  EXPECT_TRUE(
      refusal({"--algorithm", "rign"})
          .starts_with("\"rign\" is not an algorithm for all_reduce\ndid you mean \"ring\"? known: "));
  EXPECT_EQ(refusal({"--ranks", "5"}),
            "ideal_switch has 4 devices, not 5\ndescribe a larger one with --set, as in machines=4\n");
  EXPECT_EQ(refusal({"--ranks", "1"}), "1 rank can't exchange anything\ngive 2 or more\n");
  EXPECT_EQ(refusal({"--algorithm", "swing", "--ranks", "3"}),
            "swing is for an even number of ranks, not for 3\n");
  EXPECT_EQ(refusal({"--algorithm", "nvls"}),
            "nvls lets switches add, which described machines can't yet\nchoose another algorithm\n");
  EXPECT_EQ(
      refusal({"--dtype", "float23"}),
      "\"float23\" is not a type that collectives have\ndid you mean \"float32\"? known: float32, float64, "
      "int32, int64, uint8\n");
  EXPECT_EQ(refusal({"--root", "4"}), "rank 4 can't be the root of 4 ranks\n");
  EXPECT_EQ(refusal({"--op", "all_gather", "--sizes", "15"}),
            "15 B are less than one float32 for each who needs one\ngive at least 16 B\n");
  EXPECT_EQ(refusal({"-b", "2KiB", "-e", "1KiB"}),
            "there is no size from 2 KiB to 1 KiB\nbegin with the smaller size, above 0\n");
  EXPECT_EQ(refusal({"-f", "1"}), "-f 1 never reaches the end\ngive a factor above 1\n");
  EXPECT_EQ(
      refusal({"--set", "ranks=1024", "--sizes", "1MiB"}),
      "ring of 1024 ranks makes 2095104 moves, more than 1000000\ntake fewer ranks or another algorithm\n");
  EXPECT_EQ(refusal({"--set", "ranks=20000", "--sizes", "1MiB"}),
            "ring of 20000 ranks makes at least 10000000 moves, more than 1000000\n"
            "take fewer ranks or another algorithm\n");
  EXPECT_EQ(refusal({"--set", "ranks=200", "--algorithm", "two_shot", "--sizes", "1MiB"}),
            "two_shot of 200 ranks makes 39800 moves at once, more than 20000\n"
            "take fewer ranks or another algorithm\n");
  EXPECT_EQ(refusal({"-f", "1.001"}), "-f 1.001 makes more than 1000 sizes\ngive a larger factor\n");
  EXPECT_EQ(refusal({"--sizes", "17 TiB"}), "17 TiB are more than 16 TiB\ngive less\n");
}

}  // namespace
}  // namespace wt
