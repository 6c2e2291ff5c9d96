// Claim: results.json is what its schema says, whatever a run came to, and holds every number as it was.

#include "report/results.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"
#include "report/comparison.h"
#include "report/ending.h"
#include "report/job.h"
#include "report/planned.h"
#include "report/pool.h"
#include "report/simulated.h"
#include "report/summary.h"
#include "report/trained.h"
#include "scenario/schema_check.h"

namespace wt::report {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

json::Value schema() {
  return json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/results.json");
}
json::Value tree_of(const std::string& text) { return json::parse(text, "results.json"); }

session::Results planned() {
  return {.version = "0.1.0",
          .name = "two steps",
          .strategy = "default",
          .semantics = "keras2",
          .numerics = "none",
          .planned = {.model = "linear",
                      .trainable_parameters = 2,
                      .other_parameters = 0,
                      .global_batch = 10,
                      .epochs = 1,
                      .steps = 2,
                      .memory = {.devices = {{.device = "cpu:0",
                                              .arena = Bytes(1024),
                                              .at_peak = {{{plan::BufferKind::variable, Bytes(512)}}}}}}}};
}

session::Results trained() {
  session::Results results = planned();
  results.numerics = "cpu";
  results.steps = {{.epoch = 0, .step = 0, .rows = 10, .loss = 0.1f, .metrics = {{"accuracy", 0.25}}},
                   {.epoch = 0, .step = 1, .rows = 3, .loss = not_a_number, .metrics = {{"accuracy", 1}}}};
  results.epochs = {
      {.training = {.epoch = 0, .steps = 2, .loss = 0.05, .metrics = {{"accuracy", 0.5}}},
       .evaluation = train::EpochResult{.steps = 4, .loss = 0.25, .metrics = {{"accuracy", 0.75}}}}};
  return results;
}

// A step on a platform, and one that found no place.
session::Results simulated() {
  session::Results results = trained();
  results.simulated = {.platform = "laptop",
                       .device = "GPU",
                       .precision = "tf32",
                       .step = Seconds(0.01),
                       .compute = Seconds(0.009),
                       .input = Seconds(0.001),
                       .bound = Seconds(0.005),
                       .basis = "zero-shot roofline",
                       .samples_per_second = 1000,
                       .utilization = 0.25,
                       .links = {{"pcie", BytesPerSecond(1e10), Bytes(10'000'000), Seconds(0.001)}}};
  results.step_times = {{0, Seconds(0.01)}};
  return results;
}
// With rows that are read, a device that slows down, and steps that stray.
session::Results several_steps() {
  session::Results results = simulated();
  results.simulated->pipeline = timing::RowsPipeline{
      .rows = 10, .batch = Seconds(0.01), .limit = "storage", .prefetch = 2, .is_bound = true};
  results.simulated->course = timing::Course{.played = 8, .first = Seconds(0.02), .steady_from = 1};
  results.simulated->compiles = timing::Compiles{{10, 3}, Seconds(20)};
  results.simulated->phases = {{0, Seconds(0.01), {}}, {5, Seconds(0.013), {"GPU:1 x 1.3"}}};
  return results;
}
session::Results strayed() {
  session::Results results = simulated();
  results.simulated->course = timing::Course{
      .played = 100, .first = Seconds(0.02), .jitter = 0.05, .median = Seconds(0.01), .p95 = Seconds(0.011)};
  return results;
}
session::Results lost() {
  session::Results results = simulated();
  results.lost =
      timing::LostWorker{.worker = "/job:worker/replica:0/task:1",
                         .step = 1,
                         .collective = "all_reduce/0",
                         .arrived = {"a"},
                         .missing = {"b"},
                         .arrival = Seconds(0.01),
                         .end = Seconds(60),
                         .status = "UNAVAILABLE",
                         .message = "cluster check alive failed, /job:worker/replica:0/task:1 is down"};
  return results;
}
session::Results interrupted() {
  session::Results results = planned();
  results.numerics = "cpu";
  results.steps = {{.epoch = 0, .step = 0, .rows = 10, .loss = 1}};
  results.interrupted = session::Interrupted{.step = 1, .by = "SIGINT"};
  return results;
}

session::Results timed_out() {
  session::Results results = simulated();
  results.turns = session::Turns{.swaps = 4, .swapped = Bytes(1 << 20)};
  results.timed_out = timing::TimedOut{.step = 1,
                                       .collective = "all_reduce/0",
                                       .last = "/job:worker/replica:0/task:1/device:GPU:0",
                                       .late = Seconds(0.03),
                                       .arrival = Seconds(0.5),
                                       .span = Seconds(0.04),
                                       .timeout = Seconds(0.01)};
  return results;
}
// A whole training with a price.
session::Results paid() {
  session::Results results = simulated();
  results.job = timing::JobTime{.items = {{.name = "start of processes",
                                           .key = "job.start",
                                           .count = 1,
                                           .basis = timing::Basis::unmeasured},
                                          {.name = "steps",
                                           .key = "job.step",
                                           .count = 360,
                                           .each = Seconds(0.5),
                                           .basis = timing::Basis::simulated}},
                                .samples = 3600,
                                .epochs = 2};
  results.cost =
      *cost::bill(*cost::parse_price("98.32 USD/h, spot, 2026-11-01, the provider").value,
                  {.chips = 16, .machines = 2}, {.job = results.job->total(), .samples = 3600, .epochs = 2})
           .value;
  return results;
}

// The same step with four replicas of two workers.
session::Results replicated() {
  session::Results results = simulated();
  session::Planned& planned = results.planned;
  planned.replicas = 4;
  planned.workers = 2;
  planned.replica_rows = {3, 3, 3, 1};
  planned.reduction = strategy::ReductionChoice{.name = "CollectiveAllReduce (RING)",
                                                .algorithm = "tensorflow_ring",
                                                .why = "RING was asked for",
                                                .otherwise = "NCCL would take ring with ll"};
  for (const char* name : {"cpu:0", "cpu:1", "cpu:2"}) {
    plan::DeviceMemory& device = planned.memory.devices.emplace_back(planned.memory.devices[0]);
    device.device = name;
  }
  planned.memory.devices[3].arena = Bytes(2048);
  results.simulated->communication = Seconds(0.002);
  results.simulated->exposed = Seconds(0.0005);
  results.simulated->waiting = Seconds(0.0005);
  results.simulated->baseline =
      timing::Baseline{.rows = 3, .step = Seconds(0.008), .samples_per_second = 375};
  results.simulated->efficiency = 2.0 / 3;
  return results;
}

// Workers of a pool were lost, and of two closures one is never executed.
session::Results with_lost_workers() {
  session::Results results = simulated();
  timing::PoolTime& pool = results.simulated->pool.emplace();
  pool.closures = 2;
  pool.interval = Seconds(0.5);
  pool.limits = {{"the workers", Seconds(0.5)}};
  pool.losses = {.losses = 2,
                 .away = Seconds(1.5),
                 .executions = 1,
                 .batches = 1,
                 .updates = 3,
                 .closures = 60,
                 .end = Seconds(3),
                 .undisturbed = Seconds(2.5)};
  results.losses = pool.losses;
  results.losses->undisturbed.reset();
  results.losses->never_executed = 1;
  results.read_again = {{1, 7}, {0, 1}};
  return results;
}

session::Results exhausted() {
  session::Results results = planned();
  results.out_of_memory = "OOM when allocating tensor";
  plan::Shortage& shortage = results.planned.memory.shortage.emplace();
  shortage.message = *results.out_of_memory;
  shortage.device = "gpu:0";
  shortage.buffer = {"x", plan::BufferKind::activation, Bytes(100)};
  shortage.held.largest = {{"w", plan::BufferKind::variable, Bytes(9)}};
  return results;
}

TEST(Results, AreWhatTheSchemaSays) {
  const json::Value rules = schema();
  session::Results with_evaluation = trained();
  with_evaluation.evaluation = {.steps = 1, .loss = 2, .metrics = {}};
  for (const session::Results& results :
       {planned(), trained(), with_evaluation, simulated(), replicated(), exhausted(), several_steps(),
        strayed(), lost(), timed_out(), interrupted(), paid(), with_lost_workers()})
    EXPECT_TRUE(SchemaCheck(rules).accepts(tree_of(results_json(results)))) << results_json(results);
}

TEST(Results, LossesOfWorkersAreASentence) {
  const session::Results results = with_lost_workers();
  EXPECT_EQ(losses_text(*results.simulated->pool->losses),
            "2 losses of workers, which are away for 1.5 s in all: 60 closures in 3.0 s instead of 2.5 s; 1 "
            "execution cut "
            "off, after 1 batch and 3 updates of variables that are made once more");
  EXPECT_EQ(
      losses_text({.losses = 1, .away = Seconds(1), .closures = 1, .never_executed = 2, .end = Seconds(1)}),
      "1 loss of workers, which are away for 1.0 s in all: 1 closure in 1.0 s; 0 executions cut off, after 0 "
      "batches and "
      "0 updates of variables that are made once more; no worker is left, and 2 closures are never executed");
}

TEST(Results, OtherThingsAreNotWhatTheSchemaSays) {
  const json::Value rules = schema();
  const json::Value good = tree_of(results_json(trained()));
  const auto with = [&](std::vector<std::string> path, const std::string& value) {
    return json::replaced(good, path, tree_of(value));
  };
  EXPECT_FALSE(SchemaCheck(rules).accepts(with({"steps", "0", "loss"}, "\"low\"")));
  EXPECT_FALSE(SchemaCheck(rules).accepts(with({"steps", "0", "metrics", "accuracy"}, "\"high\"")));
  EXPECT_FALSE(SchemaCheck(rules).accepts(with({"steps", "1", "seconds"}, "0.5")));
  EXPECT_FALSE(SchemaCheck(rules).accepts(with({"format"}, "\"another\"")));
  EXPECT_FALSE(SchemaCheck(rules).accepts(with({"planned", "steps"}, "-1")));
  EXPECT_FALSE(SchemaCheck(rules).accepts(tree_of("{}")));
}

TEST(Results, KeepEveryDigitAndWriteNullForWhatIsNoNumber) {
  const json::Value tree = tree_of(results_json(trained()));
  const auto& steps = tree.find("steps")->elements();
  EXPECT_EQ(steps[0].find("loss")->real(), static_cast<double>(0.1f));
  EXPECT_EQ(steps[1].find("loss")->kind(), json::Kind::null);
}

TEST(Results, TheFinalOnesAreTheLastEpochsAndTheLastEvaluations) {
  session::Results results = trained();
  const auto final_loss = [&] {
    return tree_of(results_json(results)).find("final")->find("evaluation")->find("loss")->real();
  };
  EXPECT_EQ(final_loss(), 0.25);
  results.evaluation = {.loss = 2};
  EXPECT_EQ(final_loss(), 2);
}

TEST(StepsCsv, HasALinePerStepAndQuotesNamesThatNeedIt) {
  session::Results results = trained();
  EXPECT_EQ(steps_csv(results),
            "epoch,step,rows,loss,accuracy\n0,0,10,0.10000000149011612,0.25\n0,1,3,,1.0\n");
  for (auto& step : results.steps) step.metrics[0].name = "a \"good\", metric";
  EXPECT_TRUE(steps_csv(results).starts_with("epoch,step,rows,loss,\"a \"\"good\"\", metric\"\n"));
}

TEST(L16, EpochsArePrintedWithLossMetricsAndEvaluation) {
  session::Results results = trained();
  results.epochs.push_back(
      {.training = {.epoch = 1, .steps = 2, .loss = -not_a_number, .metrics = {{"accuracy", 1}}}});
  results.evaluation = {.steps = 4, .loss = 0.25, .metrics = {{"accuracy", 0.75}}};
  EXPECT_EQ(epochs_table(results),
            "epoch  steps    loss  accuracy  evaluation loss  evaluation accuracy\n"
            "    1      2  0.0500    0.5000           0.2500               0.7500\n"
            "    2      2     nan    1.0000\n"
            "evaluation: loss 0.2500, accuracy 0.7500\n");
  EXPECT_EQ(epochs_table(planned()), "");
}

TEST(Planned, IsToldInThreeLines) {
  session::Planned all = planned().planned;
  plan::DeviceMemory& device = all.memory.devices[0];
  device.arena = Bytes(5'000'000'000);
  device.limit = Bytes(std::int64_t{8} << 30);
  device.at_peak.by_kind[plan::BufferKind::gradient] = Bytes(1'500'000);
  device.at_peak.by_kind[plan::BufferKind::workspace] = Bytes(0);
  EXPECT_EQ(planned_text(all),
            "model linear: 2 parameters, 2 of them trainable\n"
            "memory of cpu:0: 4.7 GiB planned of 8.0 GiB; at the peak variable 512 B, gradient 1.4 MiB\n"
            "2 steps of 10 rows in 1 epoch\n");
}

TEST(Planned, SeveralReplicasSayHowTheyReduceAndDevicesThatAreAlikeStandTogether) {
  EXPECT_EQ(
      planned_text(replicated().planned),
      "model linear: 2 parameters, 2 of them trainable\n"
      "4 replicas of 2 workers, 1 to 3 rows each; gradients: CollectiveAllReduce (RING), tensorflow_ring "
      "(RING was asked for)\n"
      "  NCCL would take ring with ll\n"
      "memory of cpu:0 and 2 like it: 1.0 KiB planned; at the peak variable 512 B\n"
      "memory of cpu:2: 2.0 KiB planned; at the peak variable 512 B\n"
      "2 steps of 10 rows in 1 epoch\n");
}

TEST(Simulated, SeveralReplicasAreComparedWithOneDevice) {
  EXPECT_EQ(
      simulated_text(replicated().planned, *replicated().simulated),
      "simulated step on GPU (tf32): 10.0 ms, 1000 samples/s; compute 9.0 ms, communication 2.0 ms (500.0 us "
      "of it exposed), waiting for rows 1.0 ms, for others 500.0 us\n"
      "one device with 3 rows: 8.0 ms, 375 samples/s; speed-up 2.67, weak scaling efficiency 66.7 %\n"
      "bound 5.0 ms (50 % of it reached), MFU 25 %; basis: zero-shot roofline; rows: copied as each step "
      "begins, nothing is decoded\n");
}

TEST(Simulated, ABaselineIsNamedWithItsDevicesAndItsMemory) {
  session::Results results = replicated();
  *results.simulated->baseline = {
      .devices = 2, .is_weak = false, .rows = 12, .samples_per_second = 500, .fits = false};
  results.simulated->efficiency = 0.5;
  for (const std::string& text :
       {simulated_text(results.planned, *results.simulated), summary_text(results)}) {
    EXPECT_NE(text.find("one replica of 2 devices with 12 rows"), std::string::npos) << text;
    EXPECT_NE(text.find("; 12 rows do not fit into its memory, and its time is simulated as if they did\n"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(summary_text(results).find(
                "2.00 times one replica of 2 devices with 12 rows (strong scaling, efficiency "
                "50.0 %)"),
            std::string::npos);
  results.planned.replicas = 1;
  EXPECT_EQ(summary_text(results).find("one replica"), std::string::npos);
}

TEST(Simulated, IsToldWithItsBoundAndBasis) {
  EXPECT_EQ(simulated_text(simulated().planned, *simulated().simulated),
            "simulated step on GPU (tf32): 10.0 ms, 1000 samples/s; compute 9.0 ms, waiting for rows 1.0 ms\n"
            "bound 5.0 ms (50 % of it reached), MFU 25 %; basis: zero-shot roofline; rows: copied as each "
            "step begins, nothing is decoded\n");
}

TEST(Simulated, TellsWhatBringsTheRowsAndHowStepsFollowEachOther) {
  const std::string text = simulated_text(several_steps().planned, *several_steps().simulated);
  EXPECT_TRUE(text.ends_with(
      "basis: zero-shot roofline; rows: copied as each step begins, by a pipeline of each worker's host\n"
      "rows: 10.0 ms for the 10 rows of a step on the slowest host (storage), prefetch 2: "
      "the input bounds the step\n"
      "8 steps played: the first takes 20.0 ms, from step 2 on all 10.0 ms\n"
      "compiled beside the steps: 2 programs for steps of 10 and 3 rows, 20.0 s each\n"
      "from step 1 on no device is slow: 10.0 ms\n"
      "from step 6 on slow: GPU:1 x 1.3: 13.0 ms\n"))
      << text;
  const std::string jitter = simulated_text(strayed().planned, *strayed().simulated);
  EXPECT_TRUE(jitter.ends_with(
      "100 steps played: the first takes 20.0 ms; with jitter of 5.0 % the others take 10.0 ms "
      "in the mean, 10.0 ms in the median, 11.0 ms at most in 95 of 100\n"))
      << jitter;
}

// 180 s of two machines at 98.32 USD an hour: 9.832 USD.
TEST(Job, IsPrintedItemByItemWithItsCost) {
  const session::Results results = paid();
  EXPECT_EQ(job_text(*results.job, 1000) + cost_text(*results.cost),
            "whole training        times      each     time    share  basis\n"
            "  start of processes      1         0        0    0.0 %  unmeasured, counted as zero; "
            "\"job.start\" sets it\n"
            "  steps                 360  500.0 ms  3.0 min  100.0 %  simulated\n"
            "  all                                  3.0 min  100.0 %\n"
            "samples/s   1000 in steady steps, 20 over the whole training\n"
            "cost        9.83 USD per job, 4.92 USD per epoch, 2731.11 USD per million samples; 196.64 USD "
            "per hour\n"
            "            2 machines at 98.32 USD/h, spot, 2026-11-01, the provider\n");
  const json::Value tree = tree_of(results_json(results));
  EXPECT_EQ(tree.find("job")->find("time_s")->real(), 180);
  EXPECT_EQ(tree.find("job")->find("samples_per_second")->real(), 20);
  EXPECT_NEAR(tree.find("cost")->find("per_job")->real(), 9.832, 1e-12);
  EXPECT_EQ(tree.find("cost")->find("currency")->string(), "USD");
}

TEST(Job, HasColumnsOnlyWhereARowHasOne) {
  const auto heads = [](const std::vector<session::Results>& runs) {
    const std::string text = csv(comparison(runs));
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(heads({simulated(), exhausted()}).find("job_s"), std::string::npos);
  session::Results without_price = paid();
  without_price.cost.reset();
  EXPECT_TRUE(heads({without_price, exhausted()}).ends_with(",job_s,samples_per_second_of_job,goodput"));
  const Records records = comparison({paid(), exhausted()});
  EXPECT_TRUE(
      heads({paid(), exhausted()})
          .ends_with(",job_s,samples_per_second_of_job,goodput,cost_per_hour,cost_per_epoch,cost_per_job,"
                     "cost_per_million_samples,currency,cost_basis"));
  for (const auto& row : records.rows) EXPECT_EQ(row.size(), records.headings.size());
  EXPECT_NE(table(records).find("9.83 USD"), std::string::npos);
}

TEST(TimedOut, IsToldWithWhoCameLast) {
  timing::TimedOut late = *timed_out().timed_out;
  EXPECT_EQ(timed_out_text(late),
            "the job ended 510.0 ms after its begin, with 1 step done\n"
            "  all_reduce/0 of step 2 takes 40.0 ms from the first that enters it, and may take 10.0 ms\n"
            "  last: /job:worker/replica:0/task:1/device:GPU:0, 30.0 ms after the first\n"
            "  DEADLINE_EXCEEDED: Collective has timed out during execution.\n");
  late.late = {};
  EXPECT_NE(timed_out_text(late).find("\n  all of them entered it at once\n"), std::string::npos);
  EXPECT_NE(results_json(timed_out()).find(R"("outcome": "collective_timed_out")"), std::string::npos);
}

TEST(Interrupted, IsMarkedAsIncomplete) {
  const json::Value tree = tree_of(results_json(interrupted()));
  EXPECT_EQ(tree.find("outcome")->string(), "interrupted");
  EXPECT_EQ(tree.find("message")->string(), "interrupted by SIGINT after 1 of 2 steps");
}

TEST(LostWorker, IsToldWithWhoWaitsForIt) {
  EXPECT_EQ(lost_text(*lost().lost),
            "the job ended 60.0 s after its begin, with 1 step done\n"
            "  /job:worker/replica:0/task:1 did not reach step 2\n"
            "  waiting in all_reduce/0 since 10.0 ms: a\n"
            "  missing: b\n"
            "  UNAVAILABLE: cluster check alive failed, /job:worker/replica:0/task:1 is down\n");
}

}  // namespace
}  // namespace wt::report
