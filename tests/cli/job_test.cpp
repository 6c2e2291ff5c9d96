// Claims: the time of a whole training counts every step, evaluation, checkpoint and fill that the training has,
// checked against counts made by hand; its cost is that time at the price; prices of a chip, a machine and a
// slice of one offer agree; tables have the same figures as single runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/command.h"
#include "scenario/schema_check.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::bytes_of;
using test::call;
using test::number_at;
using test::results_in;
using test::Said;
using test::scenario_file;
using test::TestFolder;
using test::write_bytes;

// 100 rows in batches of 32: three whole steps and one of 4 rows in each of 5 epochs.
const std::string small = R"({
  "name": "small", "model": "linear", "platform": "laptop_rtx4090",
  "dataset": {"type": "synthetic", "rows": 100},
  "training": {"loop": "fit", "loss": "mse", "optimizer": "sgd", "global_batch": 32, "epochs": 5},
  "numerics": "none", "strategy": {"type": "one_device", "device": "GPU:0"}
})";

class Job : public testing::Test {
 protected:
  Job() { write_bytes(base_ / "small.json", small); }

  Said run(const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", file, "--out", (base_ / "out").string()});
    return call(more);
  }

  // The results of the small scenario with these overrides.
  json::Value results(const std::vector<std::string>& overrides, std::vector<std::string> more = {"--job"}) {
    for (const std::string& each : overrides) more.insert(more.end(), {"--set", each});
    const Said said = run((base_ / "small.json").string(), more);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return results_in(base_ / "out");
  }

  static const json::Value* item(const json::Value& results, std::string_view name) {
    for (const json::Value& item : results.find("job")->find("items")->elements())
      if (item.find("name")->string() == name) return &item;
    return nullptr;
  }
  static double count(const json::Value& results, std::string_view name) {
    const json::Value* found = item(results, name);
    return found == nullptr ? 0 : number_at(*found, {"count"});
  }
  static double time(const json::Value& results, std::string_view name) {
    return number_at(*item(results, name), {"time_s"});
  }

  TestFolder base_{};
};

// A job of 1,024 GPUs, of which 1,000 fail once in 3 hours, with checkpoints of 100 GB to storage of 20 GB/s.
TEST_F(Job, GoodputIsThatOfAClosedForm) {
  const json::Value all = results(
      {R"(platform={"file": "dgx_h100", "set": {"machines": 128}})",
       R"(strategy={"type": "multi_worker_mirrored"})", "dataset.repeat=-1", "training.global_batch=1024",
       "training.epochs=null", "training.steps=2000000", R"(training.checkpointing={"every_steps": 1000})",
       R"(job={"step": "1 s", "checkpoint_size": "100 GB", "storage": "20 GB/s", "restart": "5 min",
               "time_between_device_failures": "3000 h"})"});
  const json::Value& goodput = *all.find("job")->find("goodput");
  const double m = 3.0 * 3600 * 1000 / 1024, segment = 1005;
  EXPECT_NEAR(number_at(goodput, {"between_failures_s"}), m, 1e-6);
  EXPECT_NEAR(number_at(goodput, {"checkpoint_s"}), 5, 1e-12);
  // By hand, to the first order: each failure loses half a segment, the restart, and as much again as fails meanwhile.
  const double lost = (segment / m) * (segment / 2 + 300) * (1 + (segment / 2 + 300) / m);
  EXPECT_NEAR(number_at(goodput, {"share"}) / (1000 / (segment + lost)), 1, 0.02);
  const double daly = std::sqrt(2 * 5 * m) * (1 + std::sqrt(5 / (2 * m)) / 3 + 5 / (18 * m)) - 5;
  EXPECT_NEAR(number_at(goodput, {"best_interval_s"}) / daly, 1, 0.1);
  EXPECT_NEAR(number_at(goodput, {"best_interval_by_daly_s"}) / daly, 1, 1e-9);
  EXPECT_GT(number_at(goodput, {"best_share"}), number_at(goodput, {"share"}));
  EXPECT_NEAR(number_at(goodput, {"played", "mean_s"}) / number_at(all, {"job", "time_s"}), 1, 0.02);
}

// Without "checkpoint_size" it is that of the variables: a weight and a bias, with the steps of the optimizer.
TEST_F(Job, ACheckpointIsAsLargeAsTheVariables) {
  const json::Value all = results({R"(training.checkpointing={})", R"(job={"storage": "1 kB/s"})"});
  EXPECT_NE(item(all, "checkpoints")->find("note")->string().find(" with "), std::string::npos);
  EXPECT_GE(number_at(*item(all, "checkpoints"), {"each_s"}), 8e-3);
  EXPECT_LE(number_at(*item(all, "checkpoints"), {"each_s"}), 50e-3);
}

// 1,000 steps of 1 s, of which each 100 are saved. 20 GB take 20 s of a storage of 1 GB/s, and no time of the training but
// that of the copy to the host, and that of the last one. Of rows on the same storage, 32 MB a step leave it fast enough;
// 800 MB a step would need more than half of it: while both share it, writing takes 40 s and a step 1.6 s.
TEST_F(Job, AnAsynchronousCheckpointIsWrittenBesideTheTraining) {
  const auto checkpoints = [&](const std::string& more, const std::string& sample) {
    const json::Value all = results(
        {"dataset.repeat=-1", "training.epochs=null", "training.loop=custom", "training.steps=1000",
         R"(training.checkpointing={"every_steps": 100, "asynchronous": true})",
         fmt::format(R"(input={{"sample": "{}"}})", sample),
         fmt::format(R"(job={{"step": "1 s", "checkpoint_size": "20 GB", "storage": "1 GB/s"{}}})", more)});
    EXPECT_EQ(count(all, "checkpoints"), 10);
    return time(all, "checkpoints") + time(all, "writing of the last checkpoint");
  };
  EXPECT_NEAR(checkpoints("", "1 MB"), 20, 0.01);
  EXPECT_NEAR(checkpoints(R"(, "holds_rows": true)", "1 MB"), 20 / (1 - 0.032), 0.01);
  EXPECT_NEAR(checkpoints(R"(, "holds_rows": true)", "25 MB"), 9 * 25 * 0.6 + 40, 0.01);
  EXPECT_NEAR(checkpoints("", "25 MB"), 20, 0.01);
}

// What a walk through all steps, saves and evaluations finds is what the counts of the job's time come to.
TEST_F(Job, TheCourseOfATrainingIsAsLongAsItsItems) {
  for (const char* saving :
       {R"({})", R"({"every": 2})", R"({"every": 2, "first": 1})", R"({"every_steps": 3})",
        R"({"every_steps": 3, "asynchronous": true})", R"({"asynchronous": true})"})
    for (const char* more : {"training.epochs=5", "training.epochs=6", "dataset.drop_remainder=true"}) {
      const json::Value all = results(
          {fmt::format("training.checkpointing={}", saving), more, R"(training.evaluation={"every": 2})",
           R"(job={"step": "1 s", "partial_step": "0.5 s", "evaluation": "3 s", "checkpoint": "2 s",
                   
                   "time_between_failures": "200000 h"})",
           R"(faults=[{"kill": "chief", "at": "1000 h"}])"});
      const bool is_beside = item(all, "writing of the last checkpoint") != nullptr;
      const double saved =
          time(all, "checkpoints") + (is_beside ? time(all, "writing of the last checkpoint") : 0);
      const double evaluated = time(all, "validation");
      const double steps =
          time(all, "steps") +
          (item(all, "steps of partial batches") ? time(all, "steps of partial batches") : 0);
      // Counts take all intervals between two saves as equal, so that a short one waits for what is written unseen.
      EXPECT_NEAR(number_at(all, {"failures", "undisturbed_s"}), steps + saved + evaluated,
                  is_beside ? 2 : 1e-2)
          << saving << " " << more;
    }
}

TEST_F(Job, CountsTheStepsOfEpochs) {
  const json::Value all = results({"time.software=false"});
  EXPECT_EQ(count(all, "steps"), 15);
  EXPECT_EQ(count(all, "steps of partial batches"), 5);
  EXPECT_EQ(number_at(all, {"job", "samples"}), 500);
  const double step = number_at(all, {"simulated", "step_time_s"});
  EXPECT_NEAR(time(all, "steps"), 15 * step, 1e-12);
  EXPECT_LT(time(all, "steps of partial batches"), 5 * step);
  EXPECT_GT(time(all, "steps of partial batches"), 0);
  const json::Value rules = json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/results.json");
  EXPECT_TRUE(SchemaCheck(rules).accepts(all));
}

TEST_F(Job, CountsWhatTheDatasetMakesOfTheSteps) {
  struct Case {
    std::vector<std::string> overrides{};
    double whole = 0, partial = 0;
  };
  for (const Case& each : {Case{{"dataset.drop_remainder=true"}, 15, 0}, Case{{"dataset.rows=96"}, 15, 0},
                           Case{{"dataset.rows=20"}, 0, 5}, Case{{"dataset.repeat=2"}, 30, 5},
                           Case{{"training.steps_per_epoch=4"}, 15, 5},
                           Case{{"training.steps_per_epoch=2", "dataset.repeat=-1"}, 10, 0},
                           Case{{"training.steps_per_epoch=2", "dataset.repeat=3"}, 9, 1}}) {
    const json::Value all = results(each.overrides);
    EXPECT_EQ(count(all, "steps"), each.whole) << each.overrides[0];
    EXPECT_EQ(count(all, "steps of partial batches"), each.partial) << each.overrides[0];
  }
}

TEST_F(Job, CountsTrainingsInSteps) {
  std::string in_steps = small;
  in_steps.replace(in_steps.find("\"epochs\": 5"), 11, "\"steps\": 10");
  write_bytes(base_ / "small.json", in_steps);
  const json::Value endless = results({"dataset.repeat=-1"}, {"--price", "laptop_rtx4090=1 USD/h"});
  EXPECT_EQ(count(endless, "steps"), 10);
  EXPECT_EQ(count(endless, "first input"), 1);
  EXPECT_EQ(endless.find("cost")->find("per_epoch"), nullptr);
  const json::Value cut =
      results({"dataset.repeat=3", "training.steps=5"}, {"--price", "laptop_rtx4090=1 USD/h"});
  EXPECT_NEAR(number_at(cut, {"cost", "per_epoch"}), number_at(cut, {"cost", "per_job"}) * 10 / 5, 1e-15);
}

TEST_F(Job, CountsEvaluationsAndCheckpoints) {
  const json::Value none = results({});
  EXPECT_EQ(item(none, "validation"), nullptr);
  EXPECT_EQ(item(none, "checkpoints"), nullptr);
  for (const auto& [every, wanted] : {std::pair("1", 5.0), std::pair("2", 2.0), std::pair("5", 1.0)}) {
    const json::Value all = results({fmt::format(R"(training.evaluation={{"every": {}}})", every)});
    EXPECT_EQ(count(all, "validation"), wanted);
    EXPECT_EQ(item(all, "validation")->find("basis")->string(), "simulated");
    EXPECT_GT(time(all, "validation"), 0);
  }
  EXPECT_EQ(count(results({"training.evaluation={}"}), "validation"), 1);
  EXPECT_EQ(count(results({R"(training.checkpointing={"every": 2})"}), "checkpoints"),
            3);  // 2, 4 and the last
}

// One evaluation is a step of 32 rows three times, and one of 4 rows: shorter than a training epoch.
TEST_F(Job, AnEvaluationIsAForwardPass) {
  const json::Value all = results({"training.evaluation={}", "training.epochs=1"});
  EXPECT_LT(time(all, "validation"), time(all, "steps") + time(all, "steps of partial batches"));
  const json::Value twice = results(
      {R"(training.evaluation={"dataset": {"type": "synthetic", "rows": 192}})", "training.epochs=1"});
  const json::Value once =
      results({R"(training.evaluation={"dataset": {"type": "synthetic", "rows": 96}})", "training.epochs=1"});
  EXPECT_NEAR(time(twice, "validation"), 2 * time(once, "validation"), 1e-12);
}

// The copies of mirrored variables begin with the first replica's values, which are sent once before the first step.
TEST_F(Job, ST10_CountsTheBroadcastOfFirstValues) {
  const std::string name = "first values of variables";
  EXPECT_EQ(item(results({}), name), nullptr);  // one device
  double before = 0;
  for (const int devices : {1, 2, 3, 8}) {
    const std::string platform =
        fmt::format(R"(platform={{"file": "dgx_a100", "set": {{"machines": {}, "devices": 1}}}})", devices);
    const json::Value all = results({platform, R"(strategy={"type": "multi_worker_mirrored"})"});
    EXPECT_EQ(count(all, name), devices > 1 ? 1 : 0);
    if (devices == 1) continue;
    EXPECT_EQ(item(all, name)->find("basis")->string(), "simulated");
    EXPECT_GT(time(all, name), before) << devices;
    before = time(all, name) * (1 - 1e-9);
    const json::Value given = results(
        {platform, R"(strategy={"type": "multi_worker_mirrored"})", R"(job={"first_values": "3 s"})"});
    EXPECT_EQ(time(given, name), 3);
    EXPECT_EQ(number_at(given, {"simulated", "step_time_s"}), number_at(all, {"simulated", "step_time_s"}));
  }
}

TEST_F(Job, TakesTimesOfTheScenario) {
  const json::Value all = results(
      {R"(job={"start": "40 s", "tracing": "10 s", "step": "1 s", "partial_step": "0.5 s", "evaluation": "3 s",
          "checkpoint": "2 s"})",
       R"(training.evaluation={"every": 1})", R"(training.checkpointing={})"});
  // 40 + 2 functions x 10 + 15 x 1 + 5 x 0.5 + 5 x 3 + 5 x 2
  EXPECT_NEAR(number_at(all, {"job", "time_s"}), 102.5, 1e-2);  // expected restarts are estimated
  EXPECT_NEAR(number_at(all, {"job", "samples_per_second"}), 500 / number_at(all, {"job", "time_s"}), 1e-12);
}

// A host decodes 1000 rows/s, which bounds every step, so the rows of a pass take 0.1 s however they are read.
// With a buffer for all of them they are read before the first step, which then waits for nothing.
TEST_F(Job, ReadsEachRowOnce) {
  const std::string input = R"(input={"decode": "1000 samples/s"})", devices = "time.software=false";
  const json::Value plain = results({input, devices, "dataset.drop_remainder=true"});
  const json::Value shuffled = results({input, devices, "dataset.drop_remainder=true", "dataset.shuffle={}"});
  EXPECT_EQ(count(shuffled, "filling of shuffle buffers"), 5);
  EXPECT_NEAR(time(shuffled, "filling of shuffle buffers"), 5 * 0.1, 1e-12);
  EXPECT_EQ(time(shuffled, "first input"), 0);
  EXPECT_LT(time(shuffled, "steps"), 0.1 * time(plain, "steps"));
  const double reading = 5 * 96 / 1000.0;
  EXPECT_NEAR(time(plain, "steps") + time(plain, "first input"), reading, 0.05 * reading);
  const json::Value small_buffer =
      results({input, "dataset.drop_remainder=true", R"(dataset.shuffle={"buffer": 50})"});
  EXPECT_NEAR(time(small_buffer, "filling of shuffle buffers"), 5 * 0.05, 1e-12);
}

TEST_F(Job, CompilesOnTpusAgainForAPartialBatch) {
  const std::vector<std::string> tpu{"platform=tpu_v3", R"(strategy={"type": "tpu"})", "time.compile=30 s"};
  const auto compiled = [&](std::vector<std::string> more) {
    more.insert(more.end(), tpu.begin(), tpu.end());
    return count(results(more), "compilation");
  };
  EXPECT_EQ(compiled({}), 2);
  EXPECT_EQ(compiled({"dataset.drop_remainder=true"}), 1);
  EXPECT_EQ(compiled({"training.evaluation={}"}), 4);
}

TEST_F(Job, CostsItsHours) {
  const json::Value all = results({}, {"--price", "laptop_rtx4090=3600 USD/h, spot, 2026-11-01, a friend"});
  const double time = number_at(all, {"job", "time_s"});
  EXPECT_NEAR(number_at(all, {"cost", "per_job"}), time, 1e-12 * time);
  EXPECT_NEAR(number_at(all, {"cost", "per_epoch"}), time / 5, 1e-12 * time);
  EXPECT_NEAR(number_at(all, {"cost", "per_million_samples"}), time / 500 * 1e6, 1e-9 * time / 500 * 1e6);
  EXPECT_EQ(all.find("cost")->find("terms")->string(), "spot");
  EXPECT_EQ(all.find("cost")->find("source")->string(), "a friend");
}

TEST_F(Job, APriceOfAnotherPlatformIsNoted) {
  const Said said = run((base_ / "small.json").string(), {"--price", "aws_p5=98.32 USD/h"});
  EXPECT_EQ(said.exit, cli::Exit::done);
  EXPECT_NE(said.messages.find("laptop_rtx4090 has no price"), std::string::npos) << said.messages;
  EXPECT_EQ(results_in(base_ / "out").find("cost"), nullptr);
}

TEST_F(Job, PricesThatMeanNothingAreRefused) {
  for (const char* price : {"98.32 USD/h", "=98 USD/h", "aws_p55=98 USD/h", "laptop_rtx4090=cheap"}) {
    const Said said = run((base_ / "small.json").string(), {"--price", price});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << price;
    EXPECT_FALSE(said.messages.empty());
  }
}

// Lines of a table, as maps from column to text.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<std::string> heads;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (heads.empty()) {
      heads = fields;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(heads.size(), fields.size()); ++i) row[heads[i]] = fields[i];
  }
  return rows;
}

TEST_F(Job, OfEveryNumberOfReplicasIsInTheTable) {
  const auto table = [&](const std::string& price) {
    const Said said = call({"run", scenario_file("mirrored_dgx_a100"), "--replicas", "1,2,3,8", "--csv",
                            "--price", "dgx_a100=" + price});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return rows_of(said.results);
  };
  const auto by_machine = table("36 USD/h"), by_chip = table("4.5 USD/chip-hour");
  ASSERT_EQ(by_machine.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const double replicas = std::stod(by_machine[i].at("replicas"));
    const double job = std::stod(by_machine[i].at("job_s"));
    EXPECT_NEAR(std::stod(by_machine[i].at("cost_per_job")), job * 0.01, 1e-9);
    EXPECT_NEAR(std::stod(by_chip[i].at("cost_per_job")), job * 0.01 * replicas / 8, 1e-9);
    EXPECT_EQ(by_machine[i].at("currency"), "USD");
  }
}

TEST_F(Job, OfATpuSliceCostsTheSameByChipMachineAndSlice) {
  const auto cost = [&](const std::string& price) {
    const Said said = run(scenario_file("tpu_v4_resnet50"), {"--price", "tpu_v4=" + price});
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return number_at(results_in(base_ / "out"), {"cost", "per_job"});
  };
  const double by_chip = cost("3 USD/chip-hour");  // 64 chips on 16 hosts
  EXPECT_GT(by_chip, 0);
  EXPECT_DOUBLE_EQ(cost("12 USD/machine-hour"), by_chip);
  EXPECT_DOUBLE_EQ(cost("192 USD/slice-hour"), by_chip);
  const Said said = run(scenario_file("tpu_v4_resnet50"), {"--price", "tpu_v4=3 USD/h"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_NE(said.messages.find("USD/chip-hour"), std::string::npos) << said.messages;
}

TEST_F(Job, ThatNeverEndsIsRefusedByRunAndByValidate) {
  const std::vector<std::string> never{"--set", R"(job={"step": "100 s", "time_between_failures": "1 s"})"};
  const std::string file = (base_ / "small.json").string();
  for (const Said& said : {run(file, never), call({"validate", file, never[0], never[1]})}) {
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    EXPECT_NE(said.messages.find("practically never ends"), std::string::npos) << said.messages;
  }
}

TEST_F(Job, OutOfMemoryHasNoTimeAndNoCost) {
  const Said said = run(scenario_file("resnet50_memory"), {"--job", "--price", "rtx4090=1 USD/h"});
  EXPECT_NE(said.exit, cli::Exit::our_fault) << said.messages;
  const Said table = call({"run", scenario_file("mirrored_dgx_a100"), "--replicas", "1,2", "--csv", "--job",
                           "--set", "training.per_replica_batch=100000"});
  EXPECT_EQ(table.exit, cli::Exit::job_failed) << table.messages;
  EXPECT_EQ(table.results.find("job_s"), std::string::npos);
}

TEST_F(Job, AWorkerThatIsLostEndsItWithoutATime) {
  const Said said = run(scenario_file("lost_worker"), {"--job"});
  EXPECT_EQ(said.exit, cli::Exit::job_failed) << said.messages;
  EXPECT_EQ(results_in(base_ / "out").find("job"), nullptr);
}

TEST_F(Job, DoesNotChangeWhatIsTrained) {
  const auto losses = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--set", "training.epochs=1", "--set", "dataset.rows=64"});
    EXPECT_EQ(run(scenario_file("mirrored_small_batch"), more).exit, cli::Exit::done);
    return bytes_of(base_ / "out/steps.csv");
  };
  const std::string plain = losses({});
  EXPECT_EQ(losses({"--job"}), plain);
}

}  // namespace
}  // namespace wt
