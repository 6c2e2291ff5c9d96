// Claims: a cluster's evaluator evaluates the checkpoints of a training beside it, on its own machine: with the numbers
// that the training itself would have evaluated, at dates that are the same with numbers and without, and without making
// the training longer.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

constexpr std::string_view scenario = R"({
  "name": "evaluator",
  "platform": {"file": "gce_n1_k80", "set": {"machines": 13}},
  "cluster": {"worker": 2},
  "strategy": {"type": "multi_worker_mirrored"},
  "devices": {"visible": ["GPU:0"]},
  "model": "mlp",
  "dataset": {"type": "synthetic", "rows": 192},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "per_replica_batch": 8, "epochs": 5,
               "metrics": ["accuracy"], "checkpointing": {}, "evaluation": {}},
  "job": {"start": "10 s"},
  "seed": 3
})";

using test::has;
using test::number_at;

class EvaluatorBeside : public test::ScenarioRuns {
 protected:
  json::Value trained(const std::vector<std::string>& overrides) const {
    const test::Said said = run_text(scenario, "out", overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results("out");
  }
  static std::vector<double> each(const json::Value& results, std::string_view key) {
    std::vector<double> numbers;
    for (const json::Value& row : results.find("evaluator")->find("evaluations")->elements())
      numbers.push_back(number_at(row, {std::string(key)}));
    return numbers;
  }
  static double item(const json::Value& results, std::string_view name) {
    for (const json::Value& row : results.find("job")->find("items")->elements())
      if (row.find("name")->string() == name) return number_at(row, {"time_s"});
    return 0;
  }
};

// Strategies and clusters, each without an evaluator and, with one, at the end.
std::string cluster(std::string_view jobs, bool has_evaluator) {
  return fmt::format("cluster={{{}{}}}", jobs, has_evaluator ? R"(, "evaluator": 1)" : "");
}

TEST_F(EvaluatorBeside, C2_HasTheNumbersOfAnEvaluationAfterEachEpoch) {
  constexpr const char* servers = R"(strategy={"type": "parameter_server"})";
  constexpr const char* workers = R"(strategy={"type": "multi_worker_mirrored"})";
  const std::vector<std::pair<std::string, std::string>> rows{
      {workers, R"("worker": 1)"},
      {workers, R"("worker": 2)"},
      {workers, R"("worker": 3)"},
      {workers, R"("chief": 1, "worker": 7)"},
      {servers, R"("worker": 1, "ps": 1, "chief": 1)"},
      {servers, R"("worker": 3, "ps": 2, "chief": 1)"}};
  for (const auto& [strategy, jobs] : rows) {
    SCOPED_TRACE(jobs);
    const json::Value alone = trained({strategy, cluster(jobs, false), "training.evaluation.every=1"});
    const json::Value beside = trained({strategy, cluster(jobs, true)});
    const std::vector<double> losses = each(beside, "loss");
    ASSERT_EQ(losses.size(), 5U);
    for (std::size_t epoch = 0; epoch < 5; ++epoch) {
      const json::Value& evaluation = *alone.find("epochs")->elements()[epoch].find("evaluation");
      EXPECT_NEAR(losses[epoch], number_at(evaluation, {"loss"}), 1e-5);
      EXPECT_NEAR(number_at(beside.find("evaluator")->find("evaluations")->elements()[epoch],
                            {"metrics", "accuracy"}),
                  number_at(evaluation, {"metrics", "accuracy"}), 1e-6);
    }
    EXPECT_NEAR(number_at(*beside.find("final"), {"evaluation", "loss"}), losses.back(), 0);

    const json::Value timed = trained({strategy, cluster(jobs, true), "numerics=none"});
    for (const char* date : {"saved_s", "begin_s", "end_s"}) {
      const std::vector<double> with = each(beside, date), without = each(timed, date);
      ASSERT_EQ(with.size(), without.size());
      for (std::size_t i = 0; i < with.size(); ++i)
        EXPECT_NEAR(without[i], with[i], 1e-4 * with[i]) << date << ": without numbers, workers are folded";
    }
  }
}

// An epoch takes t. With 2.5 t an evaluation, those of the epochs 1, 3 and 5 are evaluated, from t to 3.5 t, to 6 t and
// to 8.5 t, which is 3.5 t behind the training.
TEST_F(EvaluatorBeside, C2_SkipsWhatIsNoLongerTheNewestAndDelaysNothing) {
  const double epoch = each(trained({cluster(R"("worker": 2)", true), "numerics=none"}), "saved_s").front();
  const json::Value slow =
      trained({cluster(R"("worker": 2)", true), fmt::format("job.evaluation=\"{} s\"", 2.5 * epoch)});
  EXPECT_EQ(each(slow, "epoch"), (std::vector<double>{0, 2, 4}));
  const std::vector<double> ends = each(slow, "end_s");
  for (const auto& [row, turns] : {std::pair{0, 3.5}, {1, 6.0}, {2, 8.5}})
    EXPECT_NEAR(ends[static_cast<std::size_t>(row)], turns * epoch, 1e-6 * epoch);
  EXPECT_EQ(number_at(slow, {"evaluator", "skipped"}), 2);
  EXPECT_NEAR(number_at(slow, {"evaluator", "behind_s"}), 3.5 * epoch, 1e-6 * epoch);
  EXPECT_NEAR(item(slow, "the evaluator's last evaluation"), 3.5 * epoch, 1e-6 * epoch);
  EXPECT_EQ(item(slow, "validation"), 0);

  const json::Value inside =
      trained({"training.evaluation.every=1", fmt::format("job.evaluation=\"{} s\"", 2.5 * epoch)});
  EXPECT_NEAR(item(inside, "validation"), 5 * 2.5 * epoch, 1e-6 * epoch);
  EXPECT_NEAR(item(inside, "steps"), item(slow, "steps"), 1e-9);
}

// EarlyStopping ends the training after its third epoch.
TEST_F(EvaluatorBeside, C2_EvaluatesTheLastCheckpointOfATrainingThatIsStopped) {
  const json::Value stopped = trained(
      {cluster(R"("worker": 2)", true), R"(training.loop="fit")",
       R"(training.callbacks=[{"type": "EarlyStopping", "monitor": "loss", "min_delta": 100, "patience": 2}])"});
  EXPECT_EQ(number_at(stopped, {"stopped", "epochs"}), 3);
  EXPECT_EQ(each(stopped, "epoch"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(each(stopped, "loss").size(), 3U);
}

TEST_F(EvaluatorBeside, C2_IsToldWhatItEvaluatesAndNotWhen) {
  const std::string with = cluster(R"("worker": 2)", true);
  const test::Said when = run_text(scenario, "refused", {with, "training.evaluation.every=2"});
  EXPECT_EQ(when.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(when.messages, "evaluates each checkpoint that it finds when it is free")) << when.messages;
  const test::Said idle = run_text(
      scenario, "idle",
      {with, R"(training={"loss": "mse", "optimizer": "sgd", "per_replica_batch": 8})", "numerics=none"});
  EXPECT_TRUE(has(idle.messages, "the evaluator does nothing")) << idle.messages;
  const test::Said said = run_text(scenario, "said", {with});
  EXPECT_TRUE(has(said.results,
                  "/job:evaluator/replica:0/task:0/device:GPU:0 evaluates checkpoints beside the training"))
      << said.results;
}

}  // namespace
}  // namespace wt
