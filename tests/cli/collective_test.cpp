// `collective`: nccl-tests' columns on described machines, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "cli/command.h"
#include "collective/print.h"
#include "communication/call.h"
#include "platform/load.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call;

std::vector<std::string> on(const std::string& platform, std::vector<std::string> more) {
  more.insert(more.begin(), {"collective", "--platform", platform});
  return more;
}

std::vector<std::string> ideal(std::vector<std::string> more) { return on("ideal_switch", std::move(more)); }

std::string refusal(std::vector<std::string> more, const std::string& platform = "ideal_switch") {
  const test::Said said = call(on(platform, std::move(more)));
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_EQ(said.results, "");
  return said.messages.substr(said.messages.starts_with("warning: ") ? said.messages.find('\n') + 1 : 0);
}

json::Value rows(const std::string& platform, std::vector<std::string> more) {
  more.push_back("--json");
  const test::Said said = call(on(platform, std::move(more)));
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  return json::parse(said.results, "rows.json");
}

const json::Value& row(const json::Value& tree, std::size_t i) { return tree.find("rows")->elements().at(i); }
double time_of(const json::Value& tree, std::size_t i = 0) {
  return test::number_at(row(tree, i), {"time_us"});
}
std::string text_at(const json::Value& tree, std::size_t i, const std::string& key) {
  return std::string(row(tree, i).find(key)->string());
}

std::vector<std::string> warnings(const std::string& platform, std::vector<std::string> more) {
  const json::Value tree = rows(platform, std::move(more));
  std::vector<std::string> texts;
  for (const json::Value& each : tree.find("warnings")->elements()) texts.emplace_back(each.string());
  return texts;
}

// On the ideal switch, in us: 100 GB/s and 2 us for a message. No switch adds in passing there: a sum reads two
// vectors and writes one, at the 1555 GB/s of an A100.
double sums(double bytes) { return 3 * bytes / 1.555e6; }
double ring_time(double ranks, double bytes) {
  const double steps = ranks - 1, chunk = bytes / ranks;
  return 2 * steps * (2 + chunk / 1e5) + steps * sums(chunk);
}

const std::string wires_alone =
    "no communication library is known here: times are of the wires alone, with no library's protocols and "
    "no "
    "time to begin a call, so small sizes are too fast";

// ---- What is printed

TEST(Collective, PrintsTheColumnsOfNcclTestsAndTheBound) {
  const test::Said said = call(ideal({"--algorithm", "ring", "--sizes", "4KiB,100MB", "--expanded"}));
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NEAR(ring_time(4, 1e8), 1656.69, 0.01);
  EXPECT_EQ(
      said.results,
      "# all_reduce of 4 ranks on ideal_switch (1 machine), simulated\n"
      "       size       count     type  redop  root     time   algbw   busbw    bound  of bound  algorithm  "
      "protocol  basis\n"
      "        (B)  (elements)                           (us)  (GB/s)  (GB/s)     (us)       (%)\n"
      "       4096        1024  float32    sum    -1    12.07    0.34    0.51     0.06       0.5  ring       "
      "-         wires alone\n"
      "  100000000    25000000  float32    sum    -1  1656.69   60.36   90.54  1500.00      90.5  ring       "
      "-         wires alone\n"
      "# Avg bus bandwidth: 45.53 GB/s\n"
      "# GB/s are decimal: 1e9 bytes per second\n"
      "# wires alone: schedules move on achieved link rates, sums take the memory's time; nothing of a "
      "library\n");
  EXPECT_EQ(said.messages, "warning: " + wires_alone + "\n");
}

TEST(Collective, SaysHowManyMovesItPlayed) {
  const std::vector<std::string> question{"--algorithm", "ring", "--sizes", "64MiB", "--set", "ranks=64"};
  const json::Value folded = rows("ideal_switch", question);
  EXPECT_EQ(row(folded, 0).find("moves")->integer(), 2 * 63 * 64);
  EXPECT_EQ(row(folded, 0).find("moves_played")->integer(), 2 * 64);
  std::vector<std::string> all = question;
  all.emplace_back("--expanded");
  const json::Value expanded = rows("ideal_switch", all);
  EXPECT_EQ(row(expanded, 0).find("moves_played")->integer(), 2 * 63 * 64);
  EXPECT_NEAR(time_of(folded), time_of(expanded), 1e-9 * time_of(expanded));
  EXPECT_NEAR(time_of(expanded), ring_time(64, 64 * 1048576.), 1e-9 * time_of(expanded));
  EXPECT_NE(call(ideal(question)).results.find("# folded: 128 of 8064 moves were played\n"),
            std::string::npos);
}

TEST(Collective, WritesJsonForScripts) {
  const json::Value tree = rows("ideal_switch", {"--algorithm", "two_shot,ring", "--sizes", "400,1MB"});
  ASSERT_EQ(tree.find("rows")->elements().size(), 4u);
  EXPECT_EQ(tree.find("platform")->string(), "ideal_switch");
  EXPECT_EQ(tree.find("ranks")->integer(), 4);
  EXPECT_EQ(text_at(tree, 0, "algorithm"), "two_shot");
  EXPECT_EQ(row(tree, 0).find("bytes")->integer(), 400);
  EXPECT_EQ(row(tree, 0).find("count")->integer(), 100);
  EXPECT_EQ(row(tree, 0).find("protocol")->kind(), json::Kind::null);
  EXPECT_EQ(text_at(tree, 0, "basis"), "wires alone");
  // Three sums of a quarter, one after the other, between the two steps.
  EXPECT_NEAR(time_of(tree, 1), 2 * 2 + 15 + 3 * sums(250000), 1e-9);
  EXPECT_NEAR(time_of(tree, 3), ring_time(4, 1e6), 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"bound_us"}), 15, 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"bound_share"}), 15 / ring_time(4, 1e6), 1e-9);
  EXPECT_NEAR(test::number_at(row(tree, 3), {"busbw"}), 1e6 / (ring_time(4, 1e6) * 1e-6) / 1e9 * 1.5, 1e-9);
  for (const char* key : {"time_us", "algbw", "busbw"})
    EXPECT_EQ(test::number_at(row(tree, 3), {std::string("in_place_") + key}),
              test::number_at(row(tree, 3), {key}));
}

TEST(Collective, CountsAndFactorsAreThoseOfNcclTests) {
  struct Case {
    std::string operation{};
    std::string line{};  // bytes, count, type, redop, root
    double factor = 0;
  };
  for (const Case& each :
       {Case{"all_gather", "96,6,float32,none,-1", 0.75}, Case{"reduce_scatter", "96,6,float32,max,-1", 0.75},
        Case{"all_to_all", "96,6,float32,none,-1", 0.75}, Case{"gather", "96,6,float32,none,2", 0.75},
        Case{"scatter", "96,6,float32,none,2", 0.75}, Case{"broadcast", "100,25,float32,none,2", 1},
        Case{"reduce", "100,25,float32,max,2", 1}, Case{"all_reduce", "100,25,float32,max,-1", 1.5},
        Case{"sendrecv", "100,25,float32,none,-1", 1}}) {
    const auto call_with = [&](const std::string& form) {
      return call(ideal({"--op", each.operation, "--root", "2", "-o", "max", "--sizes", "100", form}))
          .results;
    };
    EXPECT_NE(call_with("--csv").find("\n" + each.line + ","), std::string::npos) << call_with("--csv");
    const json::Value tree = json::parse(call_with("--json"), "rows.json");
    EXPECT_NEAR(test::number_at(row(tree, 0), {"busbw"}),
                test::number_at(row(tree, 0), {"algbw"}) * each.factor, 1e-12);
  }
}

TEST(Collective, ReadsSizesAsNcclTestsDoes) {
  const auto sizes = [](std::vector<std::string> more) {
    std::vector<std::int64_t> found;
    const json::Value tree = rows("ideal_switch", std::move(more));
    for (const json::Value& each : tree.find("rows")->elements())
      found.push_back(each.find("bytes")->integer());
    return found;
  };
  EXPECT_EQ(sizes({"-b", "8", "-e", "128"}), (std::vector<std::int64_t>{8, 16, 32, 64, 128}));
  EXPECT_EQ(sizes({"-b", "1K", "-e", "1M", "-f", "32"}), (std::vector<std::int64_t>{1024, 32768, 1048576}));
  EXPECT_EQ(sizes({"--sizes", "1 KB,1KiB,1003"}), (std::vector<std::int64_t>{1000, 1024, 1000}));
}

TEST(Collective, TypesOfOneSizeTakeOneTime) {
  const auto table = [](const std::string& type) {
    return rows("ideal_switch", {"--algorithm", "ring", "-d", type, "--sizes", "1MB"});
  };
  const double time = ring_time(4, 1e6);
  for (const auto& [type, name, bytes] :
       {std::tuple{"float", "float32", 4}, std::tuple{"double", "float64", 8},
        std::tuple{"half", "float16", 2}, std::tuple{"bfloat16", "bfloat16", 2},
        std::tuple{"f8e4m3", "float8_e4m3", 1}, std::tuple{"int8", "int8", 1},
        std::tuple{"uint32", "uint32", 4}, std::tuple{"uint64", "uint64", 8}}) {
    const json::Value tree = table(type);
    EXPECT_EQ(tree.find("type")->string(), name);
    EXPECT_EQ(row(tree, 0).find("count")->integer(), 1000000 / bytes) << type;
    EXPECT_NEAR(time_of(tree), time, 1e-9) << type;
  }
  // Its schedule is of its own elements.
  EXPECT_NE(call(ideal({"--algorithm", "ring", "-d", "half", "--sizes", "80", "--print-schedule"}))
                .results.find("cut 40 elements"),
            std::string::npos);
}

TEST(Collective, TellsTheLoadOfEachLink) {
  const std::string text =
      call(ideal({"--algorithm", "two_shot", "--ranks", "2", "--sizes", "100MB", "--links"})).results;
  EXPECT_NE(text.find("# links of two_shot at 95.4 MiB, the fullest first:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  95.4 MiB  100.0 GB/s  90.9 %\n"), std::string::npos) << text;
  const json::Value tree = rows("ideal_switch", {"--ranks", "2", "--sizes", "100MB", "--links"});
  EXPECT_EQ(row(tree, 0).find("links")->elements().size(), 4u);
}

// ---- What the library would choose

TEST(Collective, ChoosesAsThePlatformsLibraryAndNamesTheRunnerUp) {
  const platform::Loaded loaded = platform::load("dgx_h100");
  const communication::Group group = communication::first_devices(loaded.platform, 8);
  const json::Value tree = rows("dgx_h100", {"-b", "1K", "-e", "1G", "-f", "32"});
  for (std::size_t i = 0; i < tree.find("rows")->elements().size(); ++i) {
    const Bytes bytes(row(tree, i).find("bytes")->integer());
    const auto ranked = communication::choices(group, collective::Operation::all_reduce, bytes);
    EXPECT_EQ(text_at(tree, i, "algorithm"), ranked[0].algorithm);
    EXPECT_EQ(text_at(tree, i, "protocol"), collective::name(ranked[0].protocol));
    EXPECT_EQ(text_at(tree, i, "runner_up"),
              std::string(ranked[1].algorithm) + " " + std::string(collective::name(ranked[1].protocol)));
    EXPECT_EQ(text_at(tree, i, "basis"), "class constants");
  }
  EXPECT_EQ(text_at(tree, 0, "algorithm"), "ring");
  EXPECT_EQ(text_at(tree, 0, "protocol"), "ll");
  EXPECT_EQ(text_at(tree, 4, "algorithm"), "nvls");
}

TEST(Collective, AutoIsTheChosenAlgorithmByName) {
  const auto table = [](const std::string& algorithm) {
    return time_of(rows("dgx_a100", {"--set", "machines=2", "--algorithm", algorithm, "--sizes", "64KiB"}));
  };
  EXPECT_EQ(table("auto"), table("tree"));
  EXPECT_EQ(text_at(rows("tpu_v4", {"--set", "slice=4x4x4", "--sizes", "1MB"}), 0, "algorithm"),
            "torus_3d_bucket");
}

TEST(Collective, SwitchesThatAddInTwoMachinesAreBoundedToo) {
  const json::Value tree = rows("dgx_h100", {"--set", "machines=2", "--sizes", "16MiB"});
  EXPECT_EQ(text_at(tree, 0, "algorithm"), "nvls_tree");
  const double share = test::number_at(row(tree, 0), {"bound_share"});
  EXPECT_GT(share, 0.1);
  EXPECT_LE(share, 1);
}

TEST(Collective, TakesTheProtocolAskedFor) {
  const auto table = [](const std::string& algorithm, const std::string& protocol) {
    return rows("dgx_h100", {"--algorithm", algorithm, "--protocol", protocol, "--sizes", "256MiB"});
  };
  EXPECT_EQ(text_at(table("auto", "ll128"), 0, "protocol"), "ll128");
  EXPECT_EQ(text_at(table("ring", "ll"), 0, "protocol"), "ll");
  EXPECT_GT(time_of(table("ring", "ll")), time_of(table("ring", "simple")) * 1.5);
  EXPECT_EQ(
      refusal({"--protocol", "ll128", "--sizes", "1MiB"}, "workstation_4gpu_pcie"),
      "protocol ll128 can't carry all_reduce on workstation_4gpu_pcie\nchoose another protocol, or name an "
      "algorithm\n");
}

// ---- How calls begin

TEST(Collective, CallsBeginAsTheyAreLaunched) {
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--sizes", "1KiB"});
    return time_of(rows("dgx_h100", std::move(more)));
  };
  const double mpi = time({});
  EXPECT_EQ(time({"--launch", "mpi"}), mpi);
  EXPECT_EQ(time({"-g", "1"}), mpi);
  EXPECT_GT(time({"--launch", "torch"}), mpi + 10);
  EXPECT_GT(time({"--launch", "threads"}), mpi + 10);
  EXPECT_EQ(time({"-g", "8"}), time({"--launch", "threads"}));
  EXPECT_GT(time({"-g", "8"}), time({"-g", "2"}));
  EXPECT_NE(call(on("dgx_h100", {"-g", "8", "--sizes", "1KiB"})).results.find("# launch: threads -g 8\n"),
            std::string::npos);
}

TEST(Collective, ATinyMessageCalibratesTheLaunch) {
  const json::Value tree = rows("dgx_h100", {"--tiny-message", "30us", "--sizes", "8,1KiB"});
  EXPECT_NEAR(time_of(tree, 0), 30, 1e-9);
  EXPECT_EQ(text_at(tree, 1, "basis"), "tiny message");
  EXPECT_NEAR(time_of(tree, 1) - time_of(tree, 0),
              time_of(rows("dgx_h100", {"--sizes", "1KiB"})) - time_of(rows("dgx_h100", {"--sizes", "8"})),
              1e-9);
  // Less than the class's messages take shortens all latencies.
  const json::Value faster = rows("dgx_h100", {"--tiny-message", "5us", "--sizes", "8,1GiB"});
  EXPECT_NEAR(time_of(faster, 0), 5, 0.01);
  EXPECT_LT(time_of(faster, 1), time_of(rows("dgx_h100", {"--sizes", "1GiB"})));
  EXPECT_EQ(refusal({"--tiny-message", "17us"}),
            "ideal_switch has no library whose call --tiny-message could calibrate\nleave it out\n");
  EXPECT_EQ(refusal({"--tiny-message", "0us"}), "a tiny all-reduce can't take 0 s\ngive a time above 0\n");
}

// ---- What users set for the library

TEST(Collective, TakesNcclsVariables) {
  const auto algorithm = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--sizes", "1GiB"});
    const json::Value tree = rows("dgx_h100", std::move(more));
    return text_at(tree, 0, "algorithm") + " " + text_at(tree, 0, "protocol");
  };
  EXPECT_EQ(algorithm({}), "nvls simple");
  EXPECT_EQ(algorithm({"--nccl-algo", "^NVLS,NVLSTree"}), "ring simple");
  EXPECT_EQ(algorithm({"--nccl-algo", "Tree", "--nccl-proto", "LL128"}), "tree ll128");
  EXPECT_EQ(algorithm({"--nccl-version", "2.16"}), "ring simple");
  EXPECT_TRUE(
      refusal({"--nccl-algo", "NVSL"}, "dgx_h100").starts_with("\"NVSL\" is not a word of NCCL_ALGO\n"));
  EXPECT_TRUE(
      refusal({"--nccl-version", "two"}, "dgx_h100").starts_with("\"two\" is not a version of NCCL\n"));
  EXPECT_TRUE(refusal({"--nccl-algo", "PAT", "--sizes", "1MiB"}, "dgx_h100")
                  .starts_with("what the library's settings allow can't carry all_reduce on dgx_h100\n"));
}

TEST(Collective, SizesMayBeLargePlainNumbersAndOneRefusedSizeLosesNoOther) {
  const test::Said said = call(on("dgx_h100", {"--sizes", "17179869184,1MiB,99999999999999,2", "--csv"}));
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NE(said.messages.find("left out: "), std::string::npos);
  EXPECT_NE(said.results.find("17179869184"), std::string::npos);
  EXPECT_NE(said.results.find("1048576"), std::string::npos);
  EXPECT_EQ(refusal({"--sizes", "2"}),
            "2 B are less than one float32 for each who needs one\ngive at least 4 B\n");
}

// ---- Who takes part

TEST(Collective, RanksFollowTheOrderAskedFor) {
  // Around eight devices on a ring: neighbours have a link each; by far neighbours, links are shared.
  const auto time = [](const std::string& order) {
    std::vector<std::string> more{"--algorithm", "ring", "--sizes", "8MB"};
    if (!order.empty()) more.insert(more.end(), {"--rank-order", order});
    return time_of(rows("ideal_ring", more));
  };
  EXPECT_EQ(time("0,1,2,3,4,5,6,7"), time(""));
  EXPECT_NEAR(time("reversed"), time(""), 1e-9 * time(""));
  EXPECT_GT(time("0,2,4,6,1,3,5,7"), 1.5 * time(""));
  EXPECT_EQ(row(rows("ideal_ring", {"--rank-order", "5,3,1", "--sizes", "1KiB"}), 0).find("count")->integer(),
            256);
}

TEST(Collective, OrdersRanksByRail) {
  const json::Value machines =
      rows("dgx_a100", {"--set", "machines=2", "--rank-order", "by_rail", "--concurrent", "8", "--algorithm",
                        "ring", "--sizes", "1MiB"});
  const json::Value pairs = rows("dgx_a100", {"--algorithm", "ring", "--ranks", "2", "--sizes", "1MiB"});
  // Groups of ranks r modulo 8 of 0, 8, 1, 9, ... are pairs within a machine.
  EXPECT_EQ(machines.find("ranks")->integer(), 2);
  EXPECT_NEAR(time_of(machines), time_of(pairs), 1e-9 * time_of(pairs));
}

TEST(Collective, GroupsAtOnceShareLinks) {
  const auto time = [](const std::string& groups) {
    return time_of(rows("aws_p3_16xlarge", {"--set", "machines=2", "--concurrent", groups, "--algorithm",
                                            "two_shot", "--protocol", "simple", "--sizes", "64MiB"}));
  };
  // Eight pairs across two machines share a card, and one pair alone has it.
  const double alone =
      time_of(rows("aws_p3_16xlarge", {"--set", "machines=2", "--rank-order", "0,8", "--algorithm",
                                       "two_shot", "--protocol", "simple", "--sizes", "64MiB"}));
  EXPECT_GT(time("8"), 4 * alone);
  EXPECT_LT(time("8"), 8 * alone + 1);
  const std::string text = call(on("dgx_h100", {"--concurrent", "2", "--sizes", "1MiB"})).results;
  EXPECT_TRUE(
      text.starts_with("# all_reduce of 2 groups at once, each 4 ranks on dgx_h100 (1 machine), simulated\n"))
      << text;
}

TEST(Collective, GroupsThatShareNothingTakeTheTimeOfOne) {
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--algorithm", "ring", "--sizes", "1MB"});
    return time_of(rows("ideal_switch", std::move(more)));
  };
  EXPECT_NEAR(time({"--concurrent", "2"}), time({"--ranks", "2"}), 1e-9);
}

TEST(Collective, GroupsAtOnceWaitForNobodyElse) {
  // A pair within a machine is long done when the one across machines is.
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.end(),
                {"--set", "machines=2", "--algorithm", "ring", "--protocol", "simple", "--sizes", "1MiB"});
    return time_of(rows("dgx_a100", std::move(more)));
  };
  const double alone = time({"--rank-order", "2,8"});
  EXPECT_NEAR(time({"--rank-order", "0,2,1,8", "--concurrent", "2"}), alone, 1e-9 * alone);
  EXPECT_NEAR(time({"--rank-order", "2,0,8,1", "--concurrent", "2"}), alone, 1e-9 * alone);
}

TEST(Collective, FollowsTheMachinesWhereNobodyGivesAShape) {
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--set", "machines=2", "--sizes", "64MiB", "--algorithm"});
    return time_of(rows("dgx_a100", std::move(more)));
  };
  EXPECT_EQ(time({"hierarchical"}), time({"hierarchical", "--option", "shape=8x2"}));
  EXPECT_LT(time({"hierarchical"}), time({"hierarchical", "--option", "shape=4x4"}));
}

TEST(Collective, NumbersTheRanksOfATorusByTheirCoordinates) {
  const json::Value tree =
      rows("tpu_v4", {"--set", "slice=4x4x4", "--algorithm", "torus_3d_bucket", "--sizes", "1536MiB"});
  // Sums take their part: 1/3 of 63/64 of a vector, three passes, one after the other with the wires.
  EXPECT_GT(test::number_at(row(tree, 0), {"bound_share"}), 0.9);
}

// ---- Schedules

TEST(Collective, LeavesOutWhatCannotBeTimedAndSaysSo) {
  const test::Said said = call(ideal({"--algorithm", "all", "--ranks", "3", "--sizes", "1MB", "--csv"}));
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NE(said.results.find(",two_shot,,,wires alone\n"), std::string::npos);
  EXPECT_NE(said.messages.find("left out: nvls needs NVSwitches that add, and ideal_switch has none\n"),
            std::string::npos)
      << said.messages;
  EXPECT_NE(said.messages.find("left out: swing is for an even number of ranks, not for 3\n"),
            std::string::npos);
}

TEST(Collective, PrintsTheScheduleThatIsTimed) {
  const test::Said said =
      call(ideal({"--algorithm", "ring", "--ranks", "2", "--sizes", "80", "--print-schedule"}));
  EXPECT_EQ(said.results,
            "schedule ring\noperation all_reduce\nranks 2\ncut 20 elements into 2 chunks\n"
            "0 reduce 0 to 1 chunks 1\n1 reduce 1 to 0 chunks 0\n2 copy 0 to 1 chunks 0 start 1\n"
            "3 copy 1 to 0 chunks 1 start 0\n");
}

TEST(Collective, TimesSchedulesFromFilesAsTheirAlgorithms) {
  const test::TestFolder folder;
  const std::string file = (folder.path() / "mine.schedule").string();
  write_text(file, call(ideal({"--algorithm", "two_shot", "--sizes", "400", "--print-schedule"})).results);
  const auto times = [](const std::string& algorithm) {
    return call(ideal({"--algorithm", algorithm, "--sizes", "400,1MB", "--expanded"})).results;
  };
  EXPECT_EQ(times(file), times("two_shot"));
  EXPECT_EQ(refusal({"--algorithm", file, "--ranks", "3"}),
            file + " is for 4 ranks, not for 3\nsay --ranks 4\n");
  EXPECT_EQ(refusal({"--algorithm", file, "--op", "reduce"}),
            file + " is for all_reduce\nsay --op all_reduce\n");
  write_text(
      file,
      "schedule mine\noperation all_reduce\nranks 2\ncut 2 elements into 1 chunks\n0 copy 0 to 1 chunks 0\n");
  EXPECT_EQ(refusal({"--algorithm", file, "--ranks", "2"}),
            file + ": rank 1 is left out: no result contains its values\n");
}

TEST(Collective, InputOutOfPlaceIsCopiedInPlace) {
  const test::TestFolder folder;
  const std::string file = (folder.path() / "out.schedule").string();
  write_text(
      file,
      "schedule apart\noperation all_gather\nranks 2\ncut 2 elements into 2 chunks\nscratch 2\ninput 2\n"
      "0 copy 0 to 0 chunks 2 at 0\n1 copy 1 to 1 chunks 3 at 1\n"
      "2 copy 0 to 1 chunks 2 at 0\n3 copy 1 to 0 chunks 3 at 1\n");
  const std::vector<std::string> question{"--op",    "all_gather", "--algorithm", file,
                                          "--ranks", "2",          "--sizes",     "100MB"};
  const json::Value tree = rows("ideal_switch", question);
  EXPECT_NEAR(time_of(tree), 2 + 500, 1e-9);
  // Half of the vector, read and written at 1555 GB/s.
  EXPECT_NEAR(test::number_at(row(tree, 0), {"in_place_time_us"}), 2 + 500 + 2 * 5e7 / 1.555e6, 1e-9);
  EXPECT_NE(call(ideal(question)).results.find("  in place   algbw   busbw  "), std::string::npos);
}

TEST(Collective, WritesATraceOfOneCollective) {
  const test::TestFolder folder;
  const std::filesystem::path file = folder.path() / "trace.json";
  const test::Said said =
      call(ideal({"--algorithm", "ring", "--ranks", "2", "--sizes", "1MB", "--trace", file.string()}));
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value trace = json::parse_file(file);
  std::size_t moves = 0;
  double end = 0;
  for (const json::Value& event : trace.find("traceEvents")->elements()) {
    if (event.find("ph")->string() != "X") continue;
    const json::Value* category = event.find("cat");
    moves += category->string() == "message" ? 1u : 0u;
    end = std::max(end, test::number_at(event, {"ts"}) + test::number_at(event, {"dur"}));
  }
  EXPECT_EQ(moves, 4u * 2);  // each on the sender's link and the receiver's
  EXPECT_NEAR(end, ring_time(2, 1e6), 1e-9);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}),
            1);  // no temporary is left
}

// ---- Warnings

TEST(Collective, SaysWhereATimeCannotBeTrusted) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(warnings("dgx_h100", {"--sizes", "1MiB"}), Texts());
  EXPECT_EQ(warnings("dgx_h100", {"--sizes", "8"}), Texts{"below 1 KiB no published table was compared"});
  EXPECT_EQ(
      warnings("dgx_h100", {"--sizes", "1MiB", "--algorithm", "two_shot,swing,ring"}),
      Texts{
          "NCCL doesn't choose two_shot, swing here: messages are taken to cost what those of its ring do"});
  EXPECT_EQ(warnings("ideal_switch", {"--sizes", "1MiB"}), Texts{wires_alone});
  EXPECT_EQ(warnings("ideal_switch", {"--sizes", "1MiB", "--launch", "torch", "--protocol", "ll"}),
            (Texts{wires_alone, "--protocol is NCCL's, which doesn't drive these devices",
                   "the launch has no part in these times: no library's call is known here"}));
  EXPECT_EQ(
      warnings("tpu_v4", {"--set", "slice=2x2x1", "--sizes", "1MiB"}),
      Texts{"what a TPU's call takes to begin isn't published" + wires_alone.substr(wires_alone.find(':'))});
  EXPECT_EQ(warnings("workstation_4gpu_pcie", {"--sizes", "1MiB"}),
            Texts{"no published table for GPUs of generation ada: their constants are assumed"});
  EXPECT_EQ(warnings("dgx_a100",
                     {"--set", "machines=2", "--set", "machine.nics.type=\"unknown\"", "--sizes", "64KiB"}),
            Texts{"the class of dgx_a100's network cards isn't known: they are taken for Ethernet"});
  EXPECT_EQ(
      warnings("dgx_a100", {"--set", "machines=2", "--ranks", "9", "--sizes", "64KiB"}),
      Texts{"the machines have different numbers of ranks, for which a library's choices are least known"});
  EXPECT_EQ(
      warnings("dgx_a100", {"--rank-order", "reversed", "--sizes", "64KiB"}),
      Texts{"NCCL orders its rings and trees by the machine, whatever the ranks' order; here they follow "
            "--rank-order"});
  EXPECT_EQ(
      warnings("dgx1_v100", {"--set", "machines=2", "--op", "broadcast", "--sizes", "1MiB"}),
      Texts{"chain leaves each machine by one of its 4 network cards, where NCCL's channels use all: large "
            "sizes are too slow"});
  EXPECT_EQ(warnings("dgx_a100", {"--set", "machines=2", "--op", "broadcast", "--sizes", "1MiB"}), Texts{});
  EXPECT_EQ(warnings("ideal_switch", {"--algorithm", "hierarchical_copy", "--ranks", "3", "--sizes", "1MiB"}),
            (Texts{wires_alone,
                   "hierarchical_copy leaves out rank 2, as its original does, so its time is of "
                   "less work; --option faithful=false mends it"}));
  EXPECT_EQ(warnings("ideal_switch", {"--algorithm", "one_shot", "--sizes", "1MiB", "--folded"}),
            (Texts{wires_alone, "one_shot at 1.0 MiB: no period was found, so nothing is folded"}));
}

// ---- Mistakes

TEST(Collective, RefusesWordsItDoesNotKnow) {
  EXPECT_EQ(
      refusal({"--op", "all_redcue"}),
      "\"all_redcue\" is not an operation\ndid you mean \"all_reduce\"? known: all_reduce, reduce_scatter, "
      "all_gather, broadcast, reduce, gather, scatter, all_to_all, sendrecv\n");
  EXPECT_TRUE(
      refusal({"--algorithm", "rign"})
          .starts_with("\"rign\" is not an algorithm for all_reduce\ndid you mean \"ring\"? known: "));
  EXPECT_EQ(
      refusal({"--dtype", "float23"}),
      "\"float23\" is not an element type of collectives\ndid you mean \"float32\"? known: float32, float64, "
      "float16, bfloat16, float8_e4m3, float8_e5m2, int8, uint8, int32, uint32, int64, uint64\n");
  EXPECT_EQ(refusal({"-o", "mean"}), "\"mean\" is not a reduction\nknown: sum, prod, max, min, avg\n");
  EXPECT_EQ(refusal({"--protocol", "ll12"}),
            "\"ll12\" is not a protocol\ndid you mean \"ll128\"? known: ll, ll128, simple\n");
  EXPECT_EQ(refusal({"--launch", "slurm"}),
            "\"slurm\" is not a way to launch\nknown: mpi, profiler, threads, torch, workers\n");
  EXPECT_EQ(refusal({"--rank-order", "reverse"}),
            "\"reverse\" is not an order of ranks\ndid you mean \"reversed\"? known: reversed, by_rail; or "
            "devices' "
            "numbers, as in 0,4,1,5\n");
  EXPECT_EQ(refusal({"--option", "segments"}), "--option segments has no value\nwrite it as segments=4\n");
}

TEST(Collective, RefusesRanksThatAreNotThere) {
  EXPECT_EQ(refusal({"--ranks", "5"}),
            "ideal_switch has 4 devices, not 5\ndescribe a larger one with --set, as in machines=4\n");
  EXPECT_EQ(refusal({"--ranks", "1"}), "1 rank can't exchange anything\ngive 2 or more\n");
  EXPECT_EQ(refusal({"--ranks", "-3"}), "0 ranks can't exchange anything\ngive 2 or more\n");
  EXPECT_EQ(refusal({"--concurrent", "4"}), "1 rank can't exchange anything\ngive 2 or more\n");
  EXPECT_EQ(refusal({"--concurrent", "3"}),
            "4 ranks can't be 3 equal groups\ngive a number that divides the ranks\n");
  EXPECT_EQ(refusal({"--concurrent", "0"}),
            "4 ranks can't be 0 equal groups\ngive a number that divides the ranks\n");
  EXPECT_EQ(refusal({"--rank-order", "0,4"}),
            "--rank-order names device 4; ideal_switch has 4 devices, numbered from 0\n");
  EXPECT_EQ(refusal({"--rank-order", "0,1,0"}), "--rank-order names device 0 twice\nname each once\n");
  EXPECT_EQ(refusal({"--rank-order", "0,1", "--ranks", "3"}),
            "--rank-order names 2 devices, and --ranks requests 3 ranks\nleave --ranks out\n");
  EXPECT_EQ(refusal({"--root", "4"}), "rank 4 can't be the root of 4 ranks\n");
  EXPECT_EQ(refusal({"--algorithm", "swing", "--ranks", "3"}),
            "swing is for an even number of ranks, not for 3\n");
  EXPECT_EQ(refusal({"--algorithm", "nvls"}, "dgx_a100"),
            "nvls needs NVSwitches that add, and dgx_a100 has none\n"
            "choose another algorithm, or a platform of GPUs from Hopper on behind NVSwitches\n");
}

TEST(Collective, RefusesSizesThatAreNone) {
  EXPECT_EQ(refusal({"--op", "all_gather", "--sizes", "15"}),
            "15 B are less than one float32 for each who needs one\ngive at least 16 B\n");
  EXPECT_EQ(refusal({"-d", "half", "--sizes", "1"}),
            "1 B are less than one float16 for each who needs one\ngive at least 2 B\n");
  EXPECT_EQ(refusal({"-b", "2KiB", "-e", "1KiB"}),
            "the sizes can't go from 2 KiB to 1 KiB\nbegin with the smaller size, above 0\n");
  EXPECT_EQ(refusal({"-f", "1"}), "-f 1 never reaches the end\ngive a factor above 1\n");
  EXPECT_EQ(refusal({"-f", "1.001"}), "-f 1.001 makes more than 1000 sizes\ngive a larger factor\n");
  EXPECT_EQ(refusal({"--sizes", "17 TiB"}), "17 TiB are more than 16 TiB\ngive less\n");
}

// A node for each move of the schedule that is printed, an edge for each thing that it waits for.
TEST(Collective, DrawsTheScheduleThatItTimes) {
  const test::TestFolder folder;
  const std::filesystem::path file = folder.path() / "ring.dot";
  const std::vector<std::string> question{"--algorithm", "ring", "--ranks", "4", "--sizes", "1MB"};
  std::vector<std::string> drawn = question, printed = question;
  drawn.insert(drawn.end(), {"--dot", file.string()});
  printed.emplace_back("--print-schedule");
  const test::Said said = call(ideal(drawn));
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(said.results, call(ideal(question)).results) << "beside the table";
  EXPECT_EQ(read_text(file),
            collective::print_dot(collective::parse_schedule(call(ideal(printed)).results, "printed")));
  EXPECT_EQ(refusal({"--dot", file.string()}),
            "a drawing shows one collective, not 1 algorithm and 21 sizes\nuse --sizes 64MiB and one "
            "--algorithm\n");
}

TEST(Collective, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal({"-g", "2", "--launch", "mpi"}),
            "-g 2: with mpi each device has a process of its own\nuse --launch threads, or leave -g out\n");
  EXPECT_EQ(refusal({"-g", "0"}), "a process can't drive 0 devices\ngive 1 or more\n");
  EXPECT_EQ(refusal({"--tiny-message", "17us", "-g", "8"}),
            "--ngpus excludes --tiny-message\nsee windtunnel collective --help\n");
  EXPECT_EQ(refusal({"--folded", "--expanded"}),
            "--expanded excludes --folded\nsee windtunnel collective --help\n");
  EXPECT_EQ(refusal({"--trace", "t.json"}),
            "a trace shows one collective, not 1 algorithm and 21 sizes\nuse --sizes 64MiB and one "
            "--algorithm\n");
}

TEST(Collective, RefusesMoreMovesThanItCanTake) {
  EXPECT_EQ(
      refusal({"--algorithm", "ring", "--set", "ranks=2000", "--sizes", "1MiB", "--expanded"}),
      "ring of 2000 ranks makes 7996000 moves, more than 2500000\ntake fewer ranks or another algorithm\n");
  EXPECT_EQ(refusal({"--set", "ranks=200", "--algorithm", "two_shot", "--sizes", "1MiB", "--expanded"}),
            "two_shot of 200 ranks makes 39800 moves at once, more than 20000\n"
            "take fewer ranks or another algorithm\n");
  EXPECT_EQ(refusal({"--algorithm", "ring", "--set", "ranks=1024", "--sizes", "1MiB", "--print-schedule"}),
            "ring of 1024 ranks makes more than 1000000 moves, too many to be taken one by one\ntake fewer "
            "ranks or "
            "another algorithm\n");
  EXPECT_EQ(refusal({"--algorithm", "ring", "--set", "ranks=1024", "--concurrent", "2", "--sizes", "1MiB"}),
            "ring of 1024 ranks makes more than 1000000 moves, too many to be taken one by one\ntake fewer "
            "ranks or "
            "another algorithm\n");
}

}  // namespace
}  // namespace wt
