// Claims: whatever fails, a job that is started again from its checkpoints trains to the weights of the undisturbed one;
// the results say what was lost and how long it took; links and devices are slow for as long as a scenario says; faults
// are refused at their keys.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::bytes_of;
using test::has;
using test::number_at;
using test::Said;

class Failing : public test::ScenarioRuns {
 protected:
  // The losses of all steps, and the weights at the end.
  std::string trained(const std::string& out) const {
    return bytes_of(base_ / out / "steps.csv") + bytes_of(base_ / out / "weights.safetensors");
  }

  // A machine and strategy, the names of its tasks, and whether its workers wait for each other.
  struct Site {
    std::string keys{};
    std::string task{};
  };

  static std::string scenario(const Site& site, const std::string& more = {}) {
    return "{\"name\": \"failing\", " + site.keys +
           R"(, "model": "linear", "dataset": {"type": "synthetic", "rows": 96, "shuffle": {}},
              "training": {"loss": "mse", "optimizer": "adam", "global_batch": 16, "epochs": 3,
                           "checkpointing": {"every_steps": 4}, "save_weights": "weights.safetensors"},
              "job": {"step": "1 s", "checkpoint": "2 s", "restart": "5 s", "restarts": 9})" +
           more + ", \"numerics\": \"cpu\", \"seed\": 3}";
  }
};

const std::vector<std::pair<std::string, std::string>>& synchronous_sites() {
  static const std::vector<std::pair<std::string, std::string>> sites{
      {R"("platform": {"virtual": {"devices": 1}}, "strategy": "default")", "chief"},
      {R"("platform": {"virtual": {"devices": 1}}, "strategy": "one_device")", "chief"},
      {R"("platform": {"virtual": {"devices": 2}}, "strategy": "mirrored")", "chief"},
      {R"("platform": {"virtual": {"devices": 3}}, "strategy": "mirrored")", "chief"},
      {R"("platform": {"virtual": {"devices": 8}}, "strategy": "mirrored")", "chief"},
      {R"("platform": {"virtual": {"devices": 2}}, "strategy": "central_storage")", "chief"},
      {R"("platform": {"virtual": {"devices": 8}}, "strategy": "central_storage")", "chief"},
      {R"("platform": {"virtual": {"devices": 2, "workers": 2}}, "strategy": "multi_worker_mirrored")",
       "worker:1"},
      {R"("platform": {"virtual": {"devices": 6, "workers": 3}}, "strategy": "multi_worker_mirrored")",
       "worker:2"},
      {R"("platform": {"virtual": {"devices": 8, "workers": 8}}, "strategy": "multi_worker_mirrored")",
       "worker:0"},
      {R"("platform": "tpu_v3", "strategy": "tpu")", "worker:0"}};
  return sites;
}

TEST_F(Failing, RestartedJobsTrainToTheWeightsOfTheUndisturbedOne) {
  int number = 0;
  for (const auto& [keys, task] : synchronous_sites()) {
    const std::string out = "of" + std::to_string(number++);
    const std::string faults = R"(, "faults": [{"kill": ")" + task + R"(", "step": 6}, {"kill": ")" + task +
                               R"(", "at": "25 s", "back_after": "7 s"}])";
    const Said said = run_text(scenario({keys, task}, faults), out);
    ASSERT_EQ(said.exit, cli::Exit::done) << keys << said.messages;
    ASSERT_EQ(run_text(scenario({keys, task}), out + "_whole").exit, cli::Exit::done);
    EXPECT_EQ(trained(out), trained(out + "_whole")) << keys;
    const json::Value found = results(out);
    EXPECT_EQ(number_at(found, {"failures", "restarts"}), 2) << keys;
    EXPECT_EQ(found.find("failures")->find("attempts")->elements()[0].find("end_step")->integer(), 6) << keys;
    EXPECT_EQ(found.find("failures")->find("attempts")->elements()[1].find("first_step")->integer(), 4)
        << keys;
    EXPECT_TRUE(has(said.results, "2 restarts")) << said.results;
    EXPECT_LT(number_at(found, {"failures", "goodput"}), 18.0 / 26) << keys;
  }
}

// 18 steps of 1 s with a checkpoint of 2 s after each fourth and at the end. By hand: step 6 begins at 8 s, where the
// program is lost; 5 s later step 4 begins, and 14 steps and 4 checkpoints take 22 s.
TEST_F(Failing, TheTimeIsThatOfAPlanner) {
  const Said said = run_text(
      scenario({synchronous_sites()[2].first, ""}, R"(, "faults": [{"kill": "chief", "step": 6}])"), "out");
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value found = results("out");
  EXPECT_NEAR(number_at(found, {"failures", "undisturbed_s"}), 28, 1e-9);
  EXPECT_NEAR(number_at(found, {"failures", "end_s"}), 8 + 5 + 14 + 8, 1e-9);
  EXPECT_NEAR(number_at(found, {"failures", "goodput"}), 18.0 / 35, 1e-9);
  EXPECT_NEAR(number_at(found, {"failures", "time_to_recover_s"}), 7, 1e-9);
  EXPECT_EQ(number_at(found, {"failures", "lost_steps"}), 2);
  // The job's time is that of its course, and so is what it costs.
  double sum = 0;
  for (const json::Value& item : found.find("job")->find("items")->elements())
    if (item.find("name")->string() == "restarts")
      sum = number_at(item, {"each_s"}) * number_at(item, {"count"});
  EXPECT_NEAR(sum, 7, 1e-9);
}

// A checkpoint that is written beside the training can be used when it is written: that of step 4 is ready in the 8th
// second.
TEST_F(Failing, AnAsynchronousCheckpointCountsWhenItIsWritten) {
  for (const auto& [keys, task] : synchronous_sites())
    for (const auto& [step, kept] : {std::pair(6, 0), std::pair(8, 4), std::pair(10, 4), std::pair(13, 8)}) {
      std::string text =
          scenario({keys, task}, fmt::format(R"(, "faults": [{{"kill": "{}", "step": {}}}])", task, step));
      text.replace(text.find(R"("every_steps": 4)"), 16, R"("every_steps": 4, "asynchronous": true)");
      text.replace(text.find(R"("checkpoint": "2 s")"), 19, R"("checkpoint": "3 s")");
      const Said said = run_text(text, "asynchronous");
      ASSERT_EQ(said.exit, cli::Exit::done) << keys << said.messages;
      ASSERT_EQ(run_text(scenario({keys, task}), "whole").exit, cli::Exit::done);
      EXPECT_EQ(trained("asynchronous"), trained("whole")) << keys << " " << step;
      const json::Value found = results("asynchronous");
      EXPECT_EQ(found.find("failures")->find("attempts")->elements()[1].find("first_step")->integer(), kept)
          << keys << " " << step;
    }
}

TEST_F(Failing, WithoutRestartsTheJobEndsAsItsStrategyDoes) {
  for (const auto& [keys, task] : synchronous_sites()) {
    const std::string faults = R"(, "faults": [{"kill": ")" + task + R"(", "step": 6}])";
    const Said said = run_text(scenario({keys, task}, faults), "out", {"job.restarts=null"});
    EXPECT_EQ(said.exit, cli::Exit::job_failed) << keys;
    const json::Value found = results("out");
    EXPECT_EQ(found.find("steps")->elements().size(), 6u) << keys;
    EXPECT_TRUE(has(said.messages, "did not reach step 7")) << said.messages;
  }
}

TEST_F(Failing, APreemptedWorkerHasAllOfThemSaveAndLosesNothing) {
  const std::string site = synchronous_sites()[8].first;
  const std::string faults = R"(, "faults": [{"preempt": "worker:1", "at": "8.5 s", "grace": "30 s"}])";
  ASSERT_EQ(
      run_text(scenario({site, ""}, faults), "saved", {"training.checkpointing.before_preemption=true"}).exit,
      cli::Exit::done);
  ASSERT_EQ(run_text(scenario({site, ""}, faults), "lost").exit, cli::Exit::done);
  ASSERT_EQ(run_text(scenario({site, ""}), "whole").exit, cli::Exit::done);
  EXPECT_EQ(number_at(results("saved"), {"failures", "lost_steps"}), 0);
  // The step that is under way and one more, as TensorFlow's handler agrees on.
  EXPECT_EQ(results("saved").find("failures")->find("attempts")->elements()[0].find("kept_steps")->integer(),
            8);
  EXPECT_GT(number_at(results("lost"), {"failures", "lost_steps"}), 0);
  for (const char* out : {"saved", "lost"}) EXPECT_EQ(trained(out), trained("whole"));
}

// The state is saved on the notice, and again at the end of the grace period, wherever in the training that is; a process
// that is killed meanwhile goes back to the first of them.
TEST_F(Failing, ThroughAGracePeriodTheTrainingGoesOn) {
  for (const std::size_t site_number : {0, 2, 7, 8, 9}) {
    const auto& [site, task] = synchronous_sites()[site_number];
    ASSERT_EQ(run_text(scenario({site, ""}), "whole").exit, cli::Exit::done);
    for (const char* at : {R"("step": 1)", R"("at": "4.5 s")", R"("at": "14.2 s")", R"("step": 17)"})
      for (const char* grace : {"3 s", "9 s", "14 s", "1 h"}) {
        SCOPED_TRACE(std::string(site) + at + grace);
        const std::string faults =
            fmt::format(R"(, "faults": [{{"preempt": "{}", {}, "grace": "{}"}}])", task, at, grace);
        const Said said =
            run_text(scenario({site, ""}, faults), "grace",
                     {R"(training.checkpointing={"before_preemption": true, "grace_period": "12 s"})"});
        ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
        EXPECT_EQ(trained("grace"), trained("whole"));
      }
  }
}

TEST_F(Failing, ANetworkThatIsCutForAMomentStallsTheJobAndForLongerEndsIt) {
  const std::string site = synchronous_sites()[7].first;
  const auto with = [&](const std::string& time) {
    return scenario({site, ""},
                    R"(, "faults": [{"cut": "worker:1", "at": "5 s", "back_after": ")" + time + "\"}]");
  };
  ASSERT_EQ(run_text(with("4 s"), "short").exit, cli::Exit::done);
  EXPECT_NEAR(number_at(results("short"), {"failures", "end_s"}), 32, 1e-9);
  EXPECT_EQ(number_at(results("short"), {"failures", "restarts"}), 0);
  ASSERT_EQ(run_text(with("40 s"), "long").exit, cli::Exit::done);
  EXPECT_EQ(number_at(results("long"), {"failures", "restarts"}), 1);
  // The others notice 10 s after the last heartbeat, and the network is there again after 40 s.
  EXPECT_NEAR(results("long").find("failures")->find("attempts")->elements()[1].find("begin_s")->real(), 50,
              1e-9);
}

// ---- BackupAndRestore, as recorded (tests/recordings/failures: backup_every_2 and backup_epoch)

class BackingUp : public Failing {
 protected:
  json::Value fit(const std::string& semantics, const std::string& freq, const std::string& out) {
    const std::string text =
        R"({"name": "fit", "platform": {"virtual": {"devices": 2}}, "strategy": "mirrored", "model": "linear",
            "dataset": {"type": "synthetic", "rows": 96},
            "training": {"loop": "fit", "loss": "mse", "optimizer": "sgd", "global_batch": 16, "epochs": 3,
                         "callbacks": [{"type": "BackupAndRestore", "backup_dir": "backup")" +
        freq + R"(}], "save_weights": "weights.safetensors"},
            "job": {"step": "1 s", "restart": "5 s", "restarts": 1},
            "faults": [{"kill": "chief", "step": 10}], "seed": 3})";
    const Said said = run_text(text, out, {"semantics=" + semantics});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results(out);
  }
};

TEST_F(BackingUp, GoesOnAfterTheLastEpoch) {
  for (const std::string semantics : {"keras2", "keras3"}) {
    const json::Value found = fit(semantics, "", semantics);
    EXPECT_EQ(found.find("failures")->find("attempts")->elements()[1].find("first_step")->integer(), 6);
    EXPECT_EQ(found.find("steps")->elements().size(), 18u);
  }
}

TEST_F(BackingUp, WithinAnEpochKeras2ReadsItsFirstBatchesAgainAndSaysSo) {
  const json::Value found = fit("keras2", R"(, "save_freq": 2)", "out");
  const json::Value& again = found.find("failures")->find("attempts")->elements()[1];
  EXPECT_EQ(again.find("first_step")->integer(), 10);
  EXPECT_EQ(again.find("batches_read_twice")->integer(), 4);
  EXPECT_EQ(found.find("steps")->elements().size(), 18u);
}

// The time of the whole job counts its saves, whether something fails or not.
TEST_F(BackingUp, TheJobsTimeHasItsSaves) {
  for (const auto& [freq, saves] :
       {std::pair(std::string(), 3), std::pair(std::string(R"(, "save_freq": 4)"), 4)}) {
    fit("keras2", freq, "out");
    const json::Value found = results("out");
    bool is_counted = false;
    for (const json::Value& item : found.find("job")->find("items")->elements())
      if (item.find("name")->string() == "checkpoints") is_counted = number_at(item, {"count"}) == saves;
    EXPECT_TRUE(is_counted) << freq;
  }
}

TEST_F(BackingUp, WithinAnEpochKeras3BeginsTheEpochAnewAndSaysSo) {
  const json::Value found = fit("keras3", R"(, "save_freq": 2)", "out");
  const json::Value& again = found.find("failures")->find("attempts")->elements()[1];
  EXPECT_EQ(again.find("first_step")->integer(), 6);
  EXPECT_EQ(again.find("steps_applied_twice")->integer(), 4);
}

// Saved at steps that don't divide the epoch, Keras 3's next attempt would save at other steps than the one before.
TEST_F(BackingUp, WhatCannotBePredictedIsRefused) {
  const Said said = run_text(
      scenario({synchronous_sites()[2].first, ""}, R"(, "faults": [{"kill": "chief", "step": 6}])"), "out",
      {"semantics=keras3", "training.loop=fit", "training.checkpointing=null",
       R"(training.callbacks=[{"type": "BackupAndRestore", "backup_dir": "b", "save_freq": 4}])"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.messages;
  EXPECT_TRUE(has(said.messages, "Keras 3 begins the epoch of 6 steps anew")) << said.messages;
}

// A callback ends the training before anything fails.
TEST_F(Failing, ATrainingThatStopsEarlierMeetsNoFailure) {
  const Said said = run_text(
      scenario({synchronous_sites()[2].first, ""}, R"(, "faults": [{"kill": "chief", "step": 17}])"), "out",
      {"training.loop=fit", "training.epochs=30", "job.restarts=null",
       R"(training.callbacks=[{"type": "EarlyStopping", "monitor": "loss", "min_delta": 1000}])",
       R"(faults=[{"kill": "chief", "step": 100}])"});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(results("out").find("lost_worker"), nullptr);
}

// ---- What is slow for a while

// Twice the batch has half the steps, and a device that is slow from one of the later ones on is slow in its last one.
TEST_F(Failing, WhatWouldHelpIsToldWhereADeviceIsSlowLate) {
  const std::string text =
      R"({"name": "late", "platform": "dgx1_v100", "strategy": "mirrored", "model": "mlp", "numerics": "none",
          "dataset": {"type": "synthetic", "rows": 512}, "training": {"loss": "sparse_categorical_crossentropy",
          "optimizer": "sgd", "global_batch": 64, "epochs": 1}, "faults": [{"slow": "GPU:1", "factor": 3, "from_step": 6}]})";
  test::write_bytes(base_ / "late.json", text);
  const Said said = test::call({"explain", (base_ / "late.json").string()});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.results, "twice the batch")) << said.results;
  EXPECT_FALSE(has(said.results, "never comes to")) << said.results;
}

TEST_F(Failing, ALinkIsSlowForSomeSteps) {
  const auto phases = [&](const std::string& faults, const std::string& out,
                          const std::string& implementation) {
    const Said said =
        run("multi_worker_2x2", out,
            {"numerics=none", "time.software=false", "faults=" + faults,
             R"(strategy={"type": "multi_worker_mirrored", "communication_options": {"implementation": ")" +
                 implementation + R"("}})"});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results(out);
  };
  for (const std::string implementation : {"ring", "nccl"}) {
    const json::Value found =
        phases(R"([{"degrade": "worker:0", "factor": 100, "from_step": 1, "until_step": 3}])", implementation,
               implementation);
    const auto& all = found.find("simulated")->find("phases")->elements();
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(number_at(all[0], {"step_time_s"}), number_at(all[2], {"step_time_s"}));
    EXPECT_GT(number_at(all[1], {"step_time_s"}), 2 * number_at(all[0], {"step_time_s"})) << implementation;
  }
}

// Tasks that a link joins with the others are cut off with it. One inside of a machine is no network: its errors end the
// processes that use it.
TEST_F(Failing, ALinkIsCutByItsName) {
  struct Case {
    std::string link, back_after, task, ends;
  };
  base_.write("leaves.json",
              R"({"machines": [{"file": "dgx_a100", "count": 4}],
                  "network": {"type": "leaf_spine", "machines_per_leaf": 2, "spines": 1}})");
  const std::string worker = "/job:worker/replica:0/task:";
  for (const Case& each : std::vector<Case>{{"machine 1/nic 0 -> leaf 0", "3 s", "1", ""},
                                            {"leaf 1 -> machine 2/nic 3", "30 s", "2", "cut"},
                                            {"leaf 1 -> spine 0", "30 s", "2", "cut"},
                                            {"machine 3/gpu 5 -> nvswitch", "3 s", "3", "killed"}}) {
    const Said said =
        run_text(R"({"name": "cut", "platform": "leaves.json", "strategy": "multi_worker_mirrored",
        "model": "linear", "dataset": {"type": "synthetic", "rows": 640}, "numerics": "none",
        "training": {"loss": "mse", "optimizer": "sgd", "global_batch": 32},
        "faults": [{"cut": ")" +
                     each.link + R"(", "at": "2 s", "back_after": ")" + each.back_after +
                     R"("}], "job": {"step": "1 s", "restarts": 1}})",
                 "out");
    ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
    const json::Value found = results("out");
    const json::Value& failures = *found.find("failures");
    const bool is_stall = each.ends.empty();
    EXPECT_EQ(failures.find("stalls")->elements().size(), is_stall ? 1u : 0u) << each.link;
    EXPECT_EQ(failures.find("attempts")->elements().size(), is_stall ? 1u : 2u) << each.link;
    const json::Value& first = failures.find(is_stall ? "stalls" : "attempts")->elements().front();
    EXPECT_EQ(first.find("task")->string(), worker + each.task) << each.link;
    EXPECT_EQ(first.find("failure")->string(), is_stall ? "cut" : each.ends) << each.link;
  }
}

// ---- Random failures, and those of a log

TEST_F(Failing, RandomFailuresComeFromTheSeed) {
  const auto ends = [&](const std::string& seed) {
    const Said said = run_text(scenario({synchronous_sites()[8].first, ""},
                                        R"(, "faults": [{"random": "device", "mean_time": "90 s"}])"),
                               "out", {"seed=" + seed, "job.restarts=1000"});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return number_at(results("out"), {"failures", "end_s"});
  };
  EXPECT_EQ(ends("1"), ends("1"));
  EXPECT_NE(ends("1"), ends("2"));
}

TEST_F(Failing, ALogSaysWhenMachinesFailedAndForHowLong) {
  base_.write("log.csv",
              "node,start,end,why\n1,2026-11-01 10:00:05,2026-11-01 10:00:25,disk\n9,2026-11-01 "
              "10:00:00,2026-11-01 10:00:01,x\n");
  const Said said =
      run_text(scenario({synchronous_sites()[8].first, ""}, R"(, "faults": [{"log": "log.csv"}])"), "out");
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value found = results("out");
  const auto& attempts = found.find("failures")->find("attempts")->elements();
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_NEAR(number_at(attempts[0], {"stop_s"}), 5, 1e-9);
  EXPECT_NEAR(number_at(attempts[1], {"begin_s"}), 30, 1e-9);

  base_.write("log.csv", "node,start,end\n1,noon,2026-11-01 10:00:25\n-1,5,9\n");
  const Said wrong =
      run_text(scenario({synchronous_sites()[8].first, ""}, R"(, "faults": [{"log": "log.csv"}])"), "out");
  EXPECT_EQ(wrong.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(wrong.messages, "log.csv:2:3: \"noon\" is no time")) << wrong.messages;
}

// ---- Refusals

TEST_F(Failing, FaultsAreRefusedAtTheirKeys) {
  const auto refusal = [&](const std::string& fault, const std::string& site) {
    const Said said = run_text(scenario({site, ""}, ", \"faults\": [" + fault + "]"), "out");
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << fault;
    return said.messages;
  };
  const std::string &workers = synchronous_sites()[8].first, &alone = synchronous_sites()[2].first;
  EXPECT_TRUE(has(refusal(R"({"kill": "worker:7", "step": 1})", workers),
                  "no task of this training has the name \"worker:7\""));
  EXPECT_TRUE(has(refusal(R"({"kill": "/job:worker/replica:0/task:1/device:GPU:0", "step": 1})", workers),
                  "name the process: \"worker:1\""));
  EXPECT_TRUE(
      has(refusal(R"({"kill": "GPU:1", "step": 1})", alone), "a process is lost with all of its devices"));
  EXPECT_TRUE(has(refusal(R"({"kill": "worker:1", "step": 99})", workers), "never comes to step 99"));
  EXPECT_TRUE(has(refusal(R"({"kill": "worker:1", "factor": 2})", workers),
                  "\"factor\" is a matter of \"slow\", \"degrade\""));
  EXPECT_TRUE(has(refusal(R"({"cut": "worker:1", "step": 1})", workers), "\"cut\" needs \"back_after\""));
  EXPECT_TRUE(has(refusal(R"({"cut": "chief", "step": 1, "back_after": "1 s"})", alone), "needs no network"));
  EXPECT_TRUE(has(refusal(R"({"preempt": "worker:1", "step": 1})", workers), "\"preempt\" needs \"grace\""));
  EXPECT_TRUE(has(refusal(R"({"random": "device"})", workers), "\"random\" needs \"mean_time\""));
  EXPECT_TRUE(has(refusal(R"({"degrade": "machine 0/gpu", "factor": 2})", workers),
                  "no task and no link has the name"));
  EXPECT_TRUE(has(refusal(R"({"slow": "GPU:0", "from_step": 5, "until_step": 5})", workers),
                  "it ends before it begins"));
  EXPECT_TRUE(has(refusal(R"({"kill": "worker:1", "step": 1, "at": "3 s"})", workers), "exclude each other"));
}

}  // namespace
}  // namespace wt
