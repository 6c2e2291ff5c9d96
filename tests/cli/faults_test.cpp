// Claims: a scenario says what rows cost, who is slow and who is lost, and what a TPU's programs cost beside their
// steps; its results say what comes of it, and lose nothing that was computed before.

#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::has;
using test::number_at;
using test::Said;

class Faults : public test::ScenarioRuns {
 protected:
  double step_time(const std::string& out) const {
    return number_at(results(out), {"simulated", "step_time_s"});
  }
};

// ---- Rows

TEST_F(Faults, InputWithoutADescriptionIsAssumedFree) {
  const Said said = run("multi_worker_2x2", "out", {"dataset.rows=64"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "; rows: copied ahead, nothing is decoded\n")) << said.results;
  const json::Value found = results("out");
  EXPECT_TRUE(
      has(found.find("simulated")->find("input_basis")->string(), "copied ahead, nothing is decoded"));
  EXPECT_EQ(found.find("simulated")->find("course"), nullptr);
}

// 64 rows of 28 x 28 float32 in a step, all replicas together.
TEST_F(Faults, G15_OnePipelineOfEachWorkersHostFeedsAllItsReplicas) {
  const std::vector<std::string> little{"dataset.rows=320", "numerics=none", "dataset.autoshard=off"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), little.begin(), little.end());
    return more;
  };
  const Said said = run("multi_worker_2x2", "own", with({"input.decode=1000 samples/s"}));
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "the input bounds the step")) << said.results;
  EXPECT_NEAR(step_time("own"), 32e-3, 1e-9);  // 16 rows for each of its two replicas
  const json::Value found = results("own");
  EXPECT_TRUE(found.find("simulated")->find("input_pipeline")->find("is_bound")->boolean());
  EXPECT_NEAR(number_at(found, {"simulated", "samples_per_second"}), 2000, 1e-3);
  EXPECT_GT(number_at(found, {"simulated", "course", "first_s"}), 32e-3);
  double parts = 0;
  for (const char* part : {"compute_s", "exposed_communication_s", "input_s", "waiting_s"})
    parts += number_at(found, {"simulated", part});
  EXPECT_NEAR(parts, 32e-3, 1e-9);
  EXPECT_GT(number_at(found, {"simulated", "input_s"}), 25e-3);

  // Sharded by DATA each worker reads all rows, and keeps its own.
  ASSERT_EQ(run("multi_worker_2x2", "data", {"numerics=none", "input.decode=1000 samples/s"}).exit,
            cli::Exit::done);
  EXPECT_NEAR(step_time("data"), 64e-3, 1e-9);

  ASSERT_EQ(run("multi_worker_2x2", "stored", with({"input.storage=1 MB/s"})).exit, cli::Exit::done);
  EXPECT_NEAR(step_time("stored"), 32 * 28 * 28 * 4 / 1e6, 1e-9);
  ASSERT_EQ(
      run("multi_worker_2x2", "sample", with({R"(input={"sample": "1 KB", "decode": "100 KB/s"})"})).exit,
      cli::Exit::done);
  EXPECT_NEAR(step_time("sample"), 0.32, 1e-9);
}

TEST_F(Faults, RowsThatComeFastEnoughCostNothing) {
  const std::vector<std::string> none{"numerics=none"};
  ASSERT_EQ(run("mirrored_dgx_a100", "free", none).exit, cli::Exit::done);
  ASSERT_EQ(run("mirrored_dgx_a100", "fast", {"numerics=none", "input.decode=1000000 samples/s"}).exit,
            cli::Exit::done);
  const json::Value found = results("fast");
  EXPECT_FALSE(found.find("simulated")->find("input_pipeline")->find("is_bound")->boolean());
  EXPECT_LT(step_time("fast"), step_time("free"));  // even their copies are made ahead
  EXPECT_GE(step_time("fast"), number_at(results("free"), {"simulated", "compute_s"}));
}

// ---- Slow devices

TEST_F(Faults, ASlowWorkerHoldsAllBackFromItsStepOn) {
  const std::vector<std::string> little{"dataset.rows=320", "numerics=none", "time.software=false"};
  ASSERT_EQ(run("multi_worker_2x2", "even", little).exit, cli::Exit::done);
  std::vector<std::string> slow = little;
  slow.push_back(R"(faults=[{"slow": "worker:0", "factor": 3, "from_step": 2}])");
  const Said said = run("multi_worker_2x2", "slow", slow);
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "from step 1 on no device is slow: ")) << said.results;
  EXPECT_TRUE(has(said.results, "from step 3 on slow: worker:0 x 3: ")) << said.results;
  const json::Value found = results("slow"), even = results("even");
  const auto& phases = found.find("simulated")->find("phases")->elements();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(number_at(phases[0], {"step_time_s"}), step_time("even"));
  const double compute = number_at(even, {"simulated", "compute_s"});
  EXPECT_NEAR(step_time("slow"), step_time("even") + 2 * compute, 0.05 * compute);
  EXPECT_GT(number_at(found, {"simulated", "course", "first_s"}), step_time("even"));
}

TEST_F(Faults, JitterIsToldWithItsSpread) {
  const std::vector<std::string> jitter{"dataset.rows=320", "numerics=none", "time.jitter=0.2",
                                        "time.steps=50", "time.software=false"};
  const Said said = run("multi_worker_2x2", "out", jitter);
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "50 steps played: ")) << said.results;
  EXPECT_TRUE(has(said.results, "with jitter of 20.0 % ")) << said.results;
  const json::Value found = results("out");
  EXPECT_GT(number_at(found, {"simulated", "course", "p95_s"}),
            number_at(found, {"simulated", "course", "median_s"}));
  ASSERT_EQ(run("multi_worker_2x2", "again", jitter).exit, cli::Exit::done);
  EXPECT_EQ(test::bytes_of(base_ / "out/results.json"), test::bytes_of(base_ / "again/results.json"));
}

// ---- Lost workers

TEST_F(Faults, F20_ATimeoutEndsTheWaitForALostWorker) {
  const Said said = run("lost_worker", "out");
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_TRUE(has(said.messages, "DEADLINE_EXCEEDED: Collective has timed out during execution.\n"))
      << said.messages;
  EXPECT_TRUE(
      has(said.messages, "/job:worker/replica:0/task:0 did not reach step 4\n  waiting in all_reduce/"))
      << said.messages;
  const json::Value found = results("out");
  EXPECT_EQ(found.find("outcome")->string(), "worker_lost");
  EXPECT_EQ(found.find("message")->string(), "Collective has timed out during execution.");
  const json::Value& lost = *found.find("lost_worker");
  EXPECT_NEAR(number_at(lost, {"end_s"}), number_at(lost, {"arrival_s"}) + 5, 1e-9);
  ASSERT_EQ(lost.find("arrived")->elements().size(), 2u);
  EXPECT_EQ(lost.find("arrived")->elements()[0].string(), "/job:chief/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(lost.find("missing")->elements()[1].string(), "/job:worker/replica:0/task:0/device:GPU:1");
}

// NCCL waits in silence, and heartbeats stop. TensorFlow's own ring has a connection to the neighbour, which ends.
TEST_F(Faults, WithoutATimeoutTensorFlowFindsOutByHeartbeatsOrByAConnection) {
  const auto ending = [&](const std::string& out, const std::string& implementation,
                          const std::string& semantics) {
    const Said said =
        run("lost_worker", out,
            {R"(strategy={"type": "multi_worker_mirrored", "communication_options": {"implementation": ")" +
                 implementation + R"("}})",
             "semantics=" + semantics, "faithful=false"});
    EXPECT_EQ(said.exit, cli::Exit::job_failed) << said.messages;
    const json::Value found = results(out);
    EXPECT_EQ(found.find("lost_worker")->find("status")->string(), "UNAVAILABLE");
    return found;
  };
  const auto message = [](const json::Value& found) { return found.find("message")->string(); };
  const auto waited = [](const json::Value& found) {
    return number_at(found, {"lost_worker", "end_s"}) - number_at(found, {"lost_worker", "arrival_s"});
  };
  const json::Value silent = ending("nccl2", "nccl", "keras2");
  EXPECT_TRUE(has(message(silent),
                  "Task /job:worker/replica:0/task:0 heartbeat timeout. This indicates that the remote "
                  "task has failed, got preempted, or crashed unexpectedly."));
  EXPECT_GT(waited(silent), 9);
  EXPECT_LT(waited(silent), 11);
  EXPECT_TRUE(
      has(message(ending("nccl3", "nccl", "keras3")),
          "The following tasks are unhealthy (stopped sending heartbeats):\n/job:worker/replica:0/task:0\n"));
  EXPECT_EQ(message(ending("probes", "nccl", "tf20")),
            "cluster check alive failed, /job:worker/replica:0/task:0 is down");
  const json::Value ring = ending("ring2", "ring", "keras2");
  EXPECT_TRUE(has(message(ring), "Collective ops is aborted by: failed to connect to all addresses\n"))
      << message(ring);
  EXPECT_EQ(waited(ring), 0);
  EXPECT_TRUE(has(message(ending("ring3", "ring", "keras3")),
                  "Failed to connect to remote host: Connection refused\n"));
}

TEST_F(Faults, WhatWasTrainedBeforeAWorkerIsLostStays) {
  ASSERT_EQ(run("lost_worker", "whole", {"faults=[]"}).exit, cli::Exit::done);
  const json::Value whole = results("whole");
  for (const std::size_t step : {0, 3, 5, 7}) {
    const std::string out = "lost" + std::to_string(step);
    const std::string fault = R"(faults=[{"kill": "worker:0", "step": )" + std::to_string(step) + "}]";
    EXPECT_EQ(run("lost_worker", out, {fault, "training.checkpointing={}"}).exit, cli::Exit::job_failed);
    const json::Value found = results(out);
    const auto &steps = found.find("steps")->elements(), &all = whole.find("steps")->elements();
    ASSERT_EQ(steps.size(), step);
    for (std::size_t i = 0; i < step; ++i)
      EXPECT_EQ(number_at(steps[i], {"loss"}), number_at(all[i], {"loss"})) << i;
    const std::size_t epochs = step / 5;  // of five steps
    EXPECT_EQ(found.find("epochs")->elements().size(), epochs) << step;
    EXPECT_EQ(std::filesystem::exists(base_ / out / "checkpoints/ckpt-1.safetensors"), epochs == 1) << step;
  }
}

// ---- A TPU's programs

TEST_F(Faults, ATpusProgramIsCompiledForEachNumberOfRowsBesideTheSteps) {
  const std::vector<std::string> little{"numerics=none",
                                        "dataset.rows=2500",
                                        "dataset.drop_remainder=false",
                                        "training={}",
                                        "training.loss=sparse_categorical_crossentropy",
                                        "training.optimizer=adam",
                                        "training.global_batch=1024"};
  const auto compiled = [&](const std::string& out, const std::string& more) {
    std::vector<std::string> overrides = little;
    overrides.insert(overrides.end(), {"time.compile=20 s", more});
    const Said said = run("tpu_v3_8", out, overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return *results(out).find("simulated")->find("compiles");
  };
  ASSERT_EQ(run("tpu_v3_8", "plain", little).exit, cli::Exit::done);
  EXPECT_EQ(results("plain").find("simulated")->find("compiles"), nullptr);

  const json::Value both = compiled("both", "training.epochs=2");
  ASSERT_EQ(both.find("rows")->elements().size(), 2u);
  EXPECT_EQ(both.find("rows")->elements()[1].integer(), 2500 - 2 * 1024);
  EXPECT_EQ(number_at(both, {"all_s"}), 40);
  EXPECT_EQ(step_time("both"), step_time("plain"));
  EXPECT_EQ(compiled("dropped", "dataset.drop_remainder=true").find("rows")->elements().size(), 1u);
  EXPECT_EQ(compiled("short", "training.steps=2").find("rows")->elements().size(), 1u);
}

TEST_F(Faults, ATpusHostStartsAProgramOnceForSomeSteps) {
  ASSERT_EQ(run("tpu_v3_8", "plain", {"numerics=none"}).exit, cli::Exit::done);
  for (const int steps : {1, 8}) {
    const std::string out = "steps" + std::to_string(steps);
    const Said said =
        run("tpu_v3_8", out,
            {"numerics=none", "time.dispatch=4 ms", "training.steps_per_execution=" + std::to_string(steps)});
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    EXPECT_NEAR(step_time(out), step_time("plain") + 4e-3 / steps, 1e-12);
  }
}

}  // namespace
}  // namespace wt
