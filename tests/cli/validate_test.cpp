// Claim: `validate` and `run` agree, and what is assumed or out of the ordinary is said.
#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::Said;
using test::scenario_file;

class Validated : public test::ScenarioRuns {
 protected:
  // Both must end alike, and say the same about wrong input.
  void expect_agreement(const std::string& scenario, const std::vector<std::string>& overrides,
                        cli::Exit exit) const {
    std::vector<std::string> words{"validate", scenario_file(scenario)};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    const Said validated = call(words);
    EXPECT_EQ(validated.exit, exit) << scenario << "\n" << validated.results << validated.messages;
    const Said ran = run(scenario, "out", overrides);
    EXPECT_EQ(ran.exit, exit) << scenario << "\n" << ran.messages;
    if (exit != cli::Exit::input_wrong) return;
    EXPECT_TRUE(has(ran.messages, validated.messages)) << ran.messages;
  }
};

TEST_F(Validated, RefusesWhatRunRefuses) {
  expect_agreement("quickstart", {"time.collectives=folded", "training.epochs=1"}, cli::Exit::input_wrong);
  expect_agreement("mirrored_dgx_a100", {"time.collectives=folded"}, cli::Exit::input_wrong);
  expect_agreement("two_virtual_gpus", {R"(time={"measured_step": "1 ns"})"}, cli::Exit::input_wrong);
  expect_agreement("linear_fit", {R"(training.checkpointing={"folder": "c", "restore": "nowhere"})"},
                   cli::Exit::input_wrong);
}

TEST_F(Validated, SaysThatAStepDoesNotFit) {
  expect_agreement("resnet50_memory", {"training.per_replica_batch=4096"}, cli::Exit::job_failed);
}

// The training has 32 rows and the evaluation batches of 2^20, which take 2^20 * 2^20 * 4 bytes for the rows
// alone. Training fits, and would be lost if the evaluation were refused after it.
TEST_F(Validated, RefusesAnEvaluationThatThisMachineCannotHold) {
  const auto with = [](const std::string& evaluation) {
    return std::vector<std::string>{
        R"(model={"zoo": "mlp", "features": 1048576, "layers": 0, "classes": 2})",
        R"(dataset={"type": "synthetic", "rows": 32})",
        R"(training={"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "per_replica_batch": 1048576,)"
        R"( "epochs": 1)" +
            evaluation + "}"};
  };
  const auto refused = with(R"(, "evaluation": {"dataset": {"type": "synthetic", "rows": 1048576}})");
  expect_agreement("linear_fit", refused, cli::Exit::input_wrong);
  expect_agreement("linear_fit", with(R"(, "evaluation": {"dataset": {"type": "synthetic", "rows": 32}})"),
                   cli::Exit::done);
  const Said said = run("linear_fit", "out", refused);
  EXPECT_TRUE(has(said.messages, "evaluations of 1048576 rows ")) << said.messages;
  EXPECT_TRUE(has(said.messages, " TiB of memory, and this machine has ")) << said.messages;
  EXPECT_TRUE(has(said.messages, "use smaller batches")) << said.messages;
  EXPECT_FALSE(has(said.messages, "step 1 of ")) << said.messages;
}

// Replicas with different numbers of rows have steps of the same nodes, so the last batch of an epoch and any
// batch that doesn't divide evenly can be planned.
TEST_F(Validated, BertMayHaveUnevenBatches) {
  for (const std::string strategy : {"mirrored", "multi_worker_mirrored"}) {
    const Said said = call(
        {"validate", scenario_file("multi_worker_32_dgx_a100"), "--set", "platform=dgx_a100", "--set",
         "model=bert_tiny", "--set", "strategy={\"type\": \"" + strategy + "\"}", "--set",
         R"(training={"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "global_batch": 27})"});
    EXPECT_EQ(said.exit, cli::Exit::done) << strategy << ": " << said.messages;
  }
}

TEST_F(Validated, FindsTheLargestBatchOfBertOn256Gpus) {
  const Said said = call({"validate", "--memory", scenario_file("multi_worker_32_dgx_a100")});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "largest batch that fits: ")) << said.results;
}

// ---- Placement

TEST_F(Validated, D5_LogsEachReplicaOnItsOwnDevice) {
  const Said said = run("quickstart", "out", {"numerics=none"}, {"--log-device-placement"});
  const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:";
  EXPECT_TRUE(has(said.messages, "\nfashion_cnn/conv2d/Conv2D: (Conv2D): " + gpu + "0\n")) << said.messages;
  EXPECT_TRUE(has(said.messages, "\nreplica_1/fashion_cnn/conv2d/Conv2D: (Conv2D): " + gpu + "1\n"));
  EXPECT_TRUE(has(said.messages, "\nconv2d/kernel/replica_1: (VarHandleOp): " + gpu + "1\n"));
  EXPECT_TRUE(
      has(said.messages,
          "\nreplica_1/Adam/update_dense/bias/ResourceApplyAdam: (ResourceApplyAdam): " + gpu + "1\n"));
  EXPECT_FALSE(has(said.messages, "(Conv2D): /job:localhost/replica:0/task:0/device:CPU:0"));
}

TEST_F(Validated, PlacementSaysWhereEachReplicaIs) {
  const Said said = call({"validate", "--placement", scenario_file("quickstart")});
  EXPECT_TRUE(has(said.results,
                  "replica 1: as replica 0, on /job:localhost/replica:0/task:0/device:GPU:1, "
                  "/job:localhost/replica:0/task:0/device:CPU:0\n"))
      << said.results;
}

// The variables of central storage are one copy on the host, and only the metrics of each replica are its own.
TEST_F(Validated, PlacementOfCentralStorageHasOneCopyOfEachVariable) {
  const Said said =
      run("central_storage_4_gpus", "out", {"numerics=none", "semantics=keras2"}, {"--log-device-placement"});
  const std::string task = "/job:localhost/replica:0/task:0/device:";
  EXPECT_TRUE(has(said.messages, "\ndense/kernel: (VarHandleOp): " + task + "CPU:0\n")) << said.messages;
  EXPECT_FALSE(has(said.messages, "dense/kernel/replica_1"));
  EXPECT_FALSE(has(said.messages, "replica_1/SGD/"));  // the update is computed once, where the variables are
  EXPECT_TRUE(has(said.messages, "\nSGD/Mul: (Mul): " + task + "CPU:0\n"));
  for (const std::string replica : {"1", "2", "3"})
    EXPECT_TRUE(has(said.messages, "\nreplica_" + replica + "/mlp/dense/MatMul: (MatMul): " + task +
                                       "GPU:" + replica + "\n"))
        << said.messages;
}

TEST_F(Validated, PlacementOfSeveralProcessesIsThatOfTheFirst) {
  const Said said = call({"validate", "--placement", scenario_file("multi_worker_2x2")});
  EXPECT_TRUE(has(said.results, "replica 1: as replica 0, on /job:chief/replica:0/task:0/device:GPU:1, "))
      << said.results;
  EXPECT_TRUE(has(said.results, "replicas 2 to 3: other processes place and log them\n"));
}

// ---- What is assumed

TEST_F(Validated, SaysThatNoStepHasAWholeBatch) {
  const std::string note =
      ": the dataset has 3 rows, and a batch has 32: every step has 3, and the memory and the simulated step "
      "are "
      "those of a whole batch\n";
  const std::vector<std::string> overrides{R"(dataset={"type": "synthetic", "rows": 3})",
                                           R"(training.global_batch=32)"};
  const Said said = run("linear_fit", "out", overrides);
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(said.messages.starts_with("note: ")) << said.messages;
  EXPECT_TRUE(has(said.messages, note)) << said.messages;
}

TEST_F(Validated, SaysThatThreadsOutnumberProcessors) {
  const Said said = run("linear_fit", "out", {}, {"--threads", "1000"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages, "note: 1000 threads on ")) << said.messages;
  EXPECT_FALSE(has(run("linear_fit", "out", {}, {"--threads", "1"}).messages, "threads on"));
}

}  // namespace
}  // namespace wt
