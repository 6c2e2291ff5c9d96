// Claims: `calibrate --nccl` and `--step` write a platform file that every command takes; predictions that use it say
// so; what is calibrated later is added to what was before; and wrong input is refused before a file is touched.

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::number_at;
using test::Said;
using test::scenario_file;

const std::string tables = std::string(WT_TEST_DATA) + "/measurements/nccl_tests/";

class CalibratePlatform : public test::ScenarioRuns {
 protected:
  std::string as(const std::string& name = "mine.json") const { return (base_ / name).string(); }
};

TEST_F(CalibratePlatform, TakesTablesOfOneMachineAndOfSeveral) {
  const Said one =
      call({"calibrate", "--nccl", tables + "dgx_h100.txt", "--platform", "dgx_h100", "--as", as()});
  ASSERT_EQ(one.exit, cli::Exit::done) << one.messages;
  EXPECT_TRUE(has(one.results, "within a machine  switches")) << one.results;
  EXPECT_FALSE(has(one.results, "between machines"));
  const Said two = call({"calibrate", "--nccl", tables + "two_dgx_a100.txt", "--ranks", "16", "--platform",
                         "dgx_a100", "--as", as("two.json")});
  ASSERT_EQ(two.exit, cli::Exit::done) << two.messages;
  EXPECT_TRUE(has(two.results, "between machines  ll128")) << two.results;
  const Said used = call({"collective", "--platform", as(), "--sizes", "1MiB", "--csv"});
  ASSERT_EQ(used.exit, cli::Exit::done) << used.messages;
  EXPECT_TRUE(has(used.results, "calibrated by you")) << used.results;
  // The factors of several machines say nothing about one.
  const Said other = call({"collective", "--platform", as("two.json"), "--sizes", "1MiB", "--csv"});
  EXPECT_FALSE(has(other.results, "calibrated by you")) << other.results;
}

TEST_F(CalibratePlatform, TakesStepsAndKeepsWhatWasCalibratedBefore) {
  ASSERT_EQ(call({"calibrate", "--nccl", tables + "two_dgx_a100.txt", "--ranks", "16", "--platform",
                  "dgx_a100", "--as", as()})
                .exit,
            cli::Exit::done);
  const std::string file = scenario_file("mirrored_dgx_a100");
  const Said said = call({"calibrate", file, "--set", "platform=" + as(), "--step", "1=115ms", "--step",
                          "8=120ms", "--as", as("both.json")});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value written = json::parse_file(as("both.json"));
  const json::Value* calibration = written.find("calibration");
  ASSERT_NE(calibration, nullptr);
  for (const char* part : {"kernels", "between", "synchronization", "source"})
    EXPECT_NE(calibration->find(part), nullptr) << part;
  EXPECT_TRUE(has(calibration->find("source")->string(), "two_dgx_a100.txt"));
  EXPECT_TRUE(has(calibration->find("source")->string(), "8=120ms"));

  for (const auto& [replicas, step] : {std::pair{1, 0.115}, std::pair{8, 0.12}}) {
    const Said used = run("mirrored_dgx_a100", "out" + std::to_string(replicas),
                          {"platform=" + as("both.json"), "numerics=none",
                           replicas == 1 ? R"(strategy.devices=["GPU:0"])" : "seed=1"});
    ASSERT_EQ(used.exit, cli::Exit::done) << used.messages;
    EXPECT_TRUE(has(used.results, "known from: calibrated by you")) << used.results;
    EXPECT_NEAR(number_at(results("out" + std::to_string(replicas)), {"simulated", "samples_per_second"}),
                64 * replicas / step, 2e-3 * 64 * replicas / step);
  }
}

TEST_F(CalibratePlatform, NotesMeasurementsOfAnotherMachine) {
  const Said tables_of_another =
      call({"calibrate", "--nccl", tables + "dgx_h100.txt", "--platform", "aws_p2_8xlarge"});
  EXPECT_EQ(tables_of_another.exit, cli::Exit::done);
  EXPECT_TRUE(has(tables_of_another.messages, "is aws_p2_8xlarge what was measured?"))
      << tables_of_another.messages;
  const Said far = call({"calibrate", scenario_file("mirrored_dgx_a100"), "--step", "1=900ms"});
  EXPECT_EQ(far.exit, cli::Exit::done);
  EXPECT_TRUE(has(far.messages, "times as long as predicted")) << far.messages;
}

TEST_F(CalibratePlatform, RefusesBeforeItWrites) {
  const std::string file = scenario_file("mirrored_dgx_a100");
  const struct {
    std::vector<std::string> words{};
    std::string fact{};
  } cases[] = {
      {{"calibrate", file, "--step", "1"}, "--step 1 is not a number of replicas and a time"},
      {{"calibrate", file, "--step", "0=1ms"}, "not a number of replicas"},
      {{"calibrate", file, "--step", "1=0ms"}, "a step can't take"},
      {{"calibrate", file, "--step", "1=1ms"}, "at its peak rates"},
      {{"calibrate", "--step", "1=1ms"}, "--step needs the scenario"},
      {{"calibrate", "--nccl", tables + "README.md", "--platform", "dgx_h100"}, "no table of nccl-tests"},
      {{"calibrate", "--nccl", tables + "dgx_h100.txt", "--platform", "dgx_h101"}, "unknown platform"},
      {{"calibrate", "--nccl", tables + "dgx_h100.txt", "--platform", "workstation_2x4090"}, "lists 8 ranks"},
  };
  for (const auto& each : cases) {
    std::vector<std::string> words = each.words;
    words.insert(words.end(), {"--as", as()});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << each.fact << said.messages;
    EXPECT_TRUE(has(said.messages, each.fact)) << each.fact << " | " << said.messages;
    EXPECT_FALSE(std::filesystem::exists(as())) << each.fact;
  }
}

}  // namespace
}  // namespace wt
