// Claims: `validate --input` prints which rows each replica gets in the first steps and in the last one, which files each
// worker reads, by which policy and rule; a shard of the program's own beside the policy's, workers with unequal inputs and
// replicas without rows are reported before a run.

#include <fmt/format.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::Said;

class ValidateInput : public test::ScenarioRuns {
 protected:
  Said shown(const std::vector<std::string>& overrides) const {
    std::vector<std::string> words{"validate", base_.write("scenario.json", text).string(), "--input"};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    return test::call(words);
  }

  static std::vector<std::string> machines(int devices, int workers) {
    if (workers == 1) return {fmt::format("platform.virtual.devices={}", devices)};
    return {R"(strategy.type="multi_worker_mirrored")",
            fmt::format(R"(platform={{"virtual": {{"devices": {}, "workers": {}}}}})", devices, workers)};
  }
  Said shown(int devices, int workers, std::vector<std::string> overrides) const {
    const std::vector<std::string> where = machines(devices, workers);
    overrides.insert(overrides.begin(), where.begin(), where.end());
    return shown(overrides);
  }

  // Files of some rows each, as the scenario's dataset.
  std::string files(const std::vector<int>& rows) const {
    for (std::size_t file = 0; file < rows.size(); ++file) {
      std::string content = "x,y\n";
      for (int row = 0; row < rows[file]; ++row) content += fmt::format("{},{}\n", row, row % 2);
      base_.write(fmt::format("part-{}.csv", file), content);
    }
    return fmt::format(R"(dataset={{"type": "csv", "file": "{}", "x": ["x"], "y": "y"}})",
                       (base_ / "part-*.csv").string());
  }

  std::string text = R"({
    "name": "input", "platform": {"virtual": {"devices": 2}}, "strategy": {"type": "mirrored"},
    "model": {"name": "line",
              "layers": [{"class_name": "Dense", "config": {"units": 1, "batch_input_shape": [null, 1]}}]},
    "dataset": {"type": "constant", "x": [1.0], "y": [1.0], "rows": 9},
    "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 4},
    "numerics": "none"
  })";
};

std::string line(const Said& said, const std::string& words) {
  const std::size_t at = said.results.find(words);
  if (at == std::string::npos) return said.results + said.messages;
  const std::size_t begin = said.results.rfind('\n', at) + 1;
  return said.results.substr(begin, said.results.find('\n', at) - begin);
}

// ---- Rows in memory: 9 in batches of 4

TEST_F(ValidateInput, P13_PrintsTheRowsOfEachReplicaAndTheShortLastStep) {
  const Said said = shown(2, 1, {});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(
      has(said.results,
          "  9 rows in batches of 4, over 2 replicas of 1 worker; 3 steps in an epoch\n"
          "  policy: AUTO, which is DATA here: the rows are in memory; all workers read all rows, and each "
          "keeps every n-th piece of a batch\n"
          "  rule: legacy: each batch in pieces of ceil(rows / replicas), of which the last are short or "
          "empty\n"
          "  worker  replica  step 1  step 2  step 3 (last)\n"
          "       0        0  0-1     4-5     8\n"
          "       0        1  2-3     6-7     none\n"
          "  step 3 (last): replica 1 without rows\n"))
      << said.results;
}

TEST_F(ValidateInput, P14_OneReplicaGetsWholeBatches) {
  const Said said = shown(1, 1, {});
  EXPECT_EQ(line(said, "rule:"), "  rule: none: one replica gets whole batches");
  EXPECT_EQ(line(said, "       0        0"), "       0        0  0-3     4-7     8");
}

TEST_F(ValidateInput, P18_ThreeReplicasShareByBothRules) {
  const Said legacy = shown(3, 1, {});
  EXPECT_EQ(line(legacy, "       0        1"), "       0        1  2-3     6-7     none");
  EXPECT_EQ(line(legacy, "       0        2"), "       0        2  none    none    none");
  EXPECT_TRUE(has(legacy.results, "  step 1: replica 2 without rows\n")) << legacy.results;
  const Said even = shown(3, 1, {R"(dataset.autoshard="off")"});
  EXPECT_EQ(line(even, "       0        0"), "       0        0  0-1     4-5     8");
  EXPECT_EQ(line(even, "       0        2"), "       0        2  3       7       none");
}

TEST_F(ValidateInput, G15_WorkersKeepPiecesInTurn) {
  const Said said = shown(8, 2, {"dataset.rows=100", "training.global_batch=16"});
  EXPECT_EQ(line(said, "       0        1"), "       0        1  4-5     20-21   36-37   98");
  EXPECT_EQ(line(said, "       1        4"), "       1        4  2-3     18-19   34-35   97");
}

TEST_F(ValidateInput, SaysThatDataHasNoEnd) {
  const Said said = shown(2, 1, {"dataset.repeat=-1", "training.steps=5"});
  EXPECT_EQ(line(said, "in batches"),
            "  rows without end in batches of 4, over 2 replicas of 1 worker; an epoch has no last step");
  EXPECT_EQ(line(said, "       0        0"), "       0        0  0-1     4-5     8, 0");
}

// ---- Files

TEST_F(ValidateInput, G15_NamesTheFilesOfEachWorkerAndUnequalInputs) {
  const Said said = shown(2, 2, {files({5, 3, 2})});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(line(said, "worker 0 reads"), "part-0.csv, ")) << said.results;
  EXPECT_TRUE(has(line(said, "worker 0 reads"), "part-2.csv")) << said.results;
  EXPECT_TRUE(has(line(said, "worker 1 reads"), "part-1.csv")) << said.results;
  EXPECT_EQ(line(said, "       0        0"), "       0        0  0-1     2-3     4, 8    9");
  EXPECT_EQ(line(said, "       1        1"), "       1        1  5-6     7       none    none");
  EXPECT_TRUE(
      has(said.messages, "workers get unequal inputs: worker 0 has batches for 4 steps, and worker 1 for 2"))
      << said.messages;
}

TEST_F(ValidateInput, G15_RefusesFewerFilesThanWorkers) {
  const Said said = shown(3, 3, {files({4, 4})});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "Could not apply FILE based sharding: the dataset only has 2 file(s)"))
      << said.messages;
}

TEST_F(ValidateInput, G15_FilesMayBeSharedByRowsInstead) {
  const Said said = shown(2, 2, {files({5, 3, 2}), R"(dataset.autoshard="data")"});
  EXPECT_TRUE(has(line(said, "worker 1 reads"), "part-0.csv, ")) << said.results;
  EXPECT_EQ(line(said, "       1        1"), "       1        1  2-3     6-7     9");
  EXPECT_EQ(said.messages.find("unequal"), std::string::npos) << said.messages;
}

// ---- A shard of the program's own

TEST_F(ValidateInput, G15_ReportsDataThatIsShardedTwice) {
  const Said twice = shown(2, 2, {R"(dataset.shard="worker")"});
  ASSERT_EQ(twice.exit, cli::Exit::done) << twice.messages;
  EXPECT_TRUE(
      has(twice.messages, "the data is sharded twice: by `shard`, and by the policy DATA among 2 workers"))
      << twice.messages;
  // Worker 0 has the rows 0, 2, 4, 6, 8 and keeps the first piece of each batch, worker 1 the second piece of 1, 3, 5, 7.
  EXPECT_EQ(line(twice, "       0        0"), "       0        0  0, 2    8");
  EXPECT_EQ(line(twice, "       1        1"), "       1        1  5, 7    none");
  const Said once = shown(2, 2, {R"(dataset.shard="worker")", R"(dataset.autoshard="off")"});
  EXPECT_EQ(once.messages.find("sharded twice"), std::string::npos) << once.messages;
  EXPECT_EQ(line(once, "       1        1"), "       1        1  1, 3    5, 7    none");
}

// A command that only looks must not read a dataset of any length to its end.
TEST_F(ValidateInput, ShowsNoLastStepOfAnEpochThatIsTooLongToPassOver) {
  EXPECT_TRUE(has(shown(2, 2, {"dataset.rows=40000"}).results, "step 10000 (last)"));
  for (const auto& [policy, most] : {std::pair{"data", "10000000"}, std::pair{"off", "100000"}}) {
    const Said said =
        shown(2, 2, {"dataset.rows=1000000000", fmt::format(R"(dataset.autoshard="{}")", policy)});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_TRUE(has(said.results, fmt::format("the last step is shown of epochs of up to {} steps", most)))
        << said.results;
  }
}

TEST_F(ValidateInput, G15_AHintGivesEachWorkerItsOwnRows) {
  const Said said = shown(2, 2, {R"(dataset.shard="hint")", R"(dataset.autoshard="hint")"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(line(said, "       0        0"), "       0        0  0, 2    4, 6    8");
  EXPECT_EQ(line(said, "       1        1"), "       1        1  1, 3    5, 7    none");
  const Said whole = shown(2, 2, {R"(dataset.autoshard="hint")"});
  EXPECT_EQ(line(whole, "       1        1"), "       1        1  0-1     2-3     4-5     8");
  const Said refused = shown(2, 2, {R"(dataset.shard="hint")"});
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(refused.messages, "a shard by hint is replaced by the autoshard policy \"hint\""))
      << refused.messages;
}

}  // namespace
}  // namespace wt
