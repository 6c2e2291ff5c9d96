// Claims: a collective that takes longer than communication_options.timeout, whoever is to blame, ends the job in
// TensorFlow's words, after what was computed before; one that ends in time changes nothing.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/scenario_runs.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::number_at;
using test::Said;
using test::scenario_file;

class CollectiveTimeout : public test::ScenarioRuns {
 protected:
  Said run(const std::string& scenario, const std::string& out, std::vector<std::string> overrides,
           std::optional<double> timeout = {}) const {
    const std::string options = timeout ? fmt::format(R"(, "timeout": "{} s")", *timeout) : "";
    overrides.push_back(
        fmt::format(R"(strategy={{"type": "multi_worker_mirrored", "communication_options": {{)"
                    R"("implementation": "ring"{}}}}})",
                    options));
    return ScenarioRuns::run(scenario, out, overrides);
  }
  static double timed_out(const json::Value& found, const std::string& key) {
    if (found.find("timed_out") != nullptr) return number_at(found, {"timed_out", key});
    ADD_FAILURE() << "nothing has timed out";
    return 0;
  }
};

const std::vector<std::string> slow{"dataset.rows=640", "input.on_device=true", "time.software=false",
                                    R"(faults=[{"slow": "worker:0", "factor": 3, "from_step": 2}])"};

// Who computes three times as long is two such times late.
TEST_F(CollectiveTimeout, F20_ALateWorkerEndsTheJobWhenTheFirstHasWaitedLongEnough) {
  ASSERT_EQ(
      run("multi_worker_2x2", "even", {"dataset.rows=640", "input.on_device=true", "time.software=false"})
          .exit,
      cli::Exit::done);
  ASSERT_EQ(run("multi_worker_2x2", "slow", slow).exit, cli::Exit::done);
  const json::Value even = results("even"), whole = results("slow");
  const Said said = run("multi_worker_2x2", "out", slow, 300e-6);
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_TRUE(has(said.messages, "with 2 steps done\n  all_reduce/0 of step 3 takes ")) << said.messages;
  EXPECT_TRUE(has(said.messages, "  last: /job:worker/replica:0/task:0/device:GPU:")) << said.messages;
  EXPECT_TRUE(has(said.messages, "DEADLINE_EXCEEDED: Collective has timed out during execution.\n"))
      << said.messages;

  const json::Value found = results("out");
  ASSERT_EQ(found.find("outcome")->string(), "collective_timed_out");
  EXPECT_EQ(found.find("message")->string(), "Collective has timed out during execution.");
  const double before = 2 * number_at(even, {"simulated", "step_time_s"});
  EXPECT_NEAR(timed_out(found, "late_s"), 2 * (timed_out(found, "arrival_s") - before), 1e-9);
  EXPECT_GT(timed_out(found, "span_s"), timed_out(found, "late_s"));
  EXPECT_NEAR(timed_out(found, "end_s"), timed_out(found, "arrival_s") + 300e-6, 1e-12);

  const auto &steps = found.find("steps")->elements(), &all = whole.find("steps")->elements();
  ASSERT_EQ(steps.size(), 2u);
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(number_at(steps[i], {"loss"}), number_at(all[i], {"loss"})) << i;
  const json::Value trace = json::parse_file(base_ / "out/trace.json");
  EXPECT_TRUE(has(trace.find("otherData")->find("ended")->string(), "DEADLINE_EXCEEDED"));
}

TEST_F(CollectiveTimeout, F20_EndsAJobOnlyWhenTheCollectiveTakesLonger) {
  run("multi_worker_2x2", "out", slow, 300e-6);
  const double span = timed_out(results("out"), "span_s");
  EXPECT_EQ(run("multi_worker_2x2", "just", slow, span * (1 - 1e-6)).exit, cli::Exit::job_failed);
  EXPECT_EQ(timed_out(results("just"), "span_s"), span);
  // In later steps the late one is late with the update before, too.
  EXPECT_EQ(run("multi_worker_2x2", "later", slow, 1.1 * span).exit, cli::Exit::job_failed);
  EXPECT_EQ(timed_out(results("later"), "step"), timed_out(results("out"), "step") + 1);
  EXPECT_EQ(run("multi_worker_2x2", "enough", slow, 3 * span).exit, cli::Exit::done);
  EXPECT_EQ(results("enough").find("timed_out"), nullptr);
}

// Where a task stands for all, those that aren't alike are unfolded: the late one is as late.
TEST_F(CollectiveTimeout, WithoutNumbersTheLateOneIsAsLate) {
  run("multi_worker_2x2", "out", slow, 300e-6);
  std::vector<std::string> shapes = slow;
  shapes.push_back("numerics=none");
  EXPECT_EQ(run("multi_worker_2x2", "none", shapes, 300e-6).exit, cli::Exit::job_failed);
  const json::Value one = results("out"), other = results("none");
  EXPECT_EQ(timed_out(one, "step"), timed_out(other, "step"));
  EXPECT_NEAR(timed_out(one, "late_s"), timed_out(other, "late_s"), 1e-9);
}

// Everybody comes at once, and the wires take what an all-reduce takes.
TEST_F(CollectiveTimeout, F20_ASlowNetworkIsNobodysFault) {
  ASSERT_EQ(run("multi_worker_8_k80_10gbe", "free", {}).exit, cli::Exit::done);
  const double exposed = number_at(results("free"), {"simulated", "exposed_communication_s"});
  EXPECT_EQ(run("multi_worker_8_k80_10gbe", "out", {}, exposed / 2).exit, cli::Exit::job_failed);
  const json::Value found = results("out");
  EXPECT_EQ(timed_out(found, "step"), 0);
  EXPECT_EQ(timed_out(found, "late_s"), 0);
  EXPECT_NEAR(timed_out(found, "span_s"), exposed, 0.05 * exposed);
}

// The first of the steps in which one strays too far; what comes before it is reported unchanged.
TEST_F(CollectiveTimeout, F20_JitterEndsAJobSometimeInItsCourse) {
  const std::vector<std::string> jitter{"dataset.rows=3200", "numerics=none", "time.jitter=0.2"};
  int ended = 0;
  std::int64_t before = -1;
  for (const double timeout : {80e-6, 120e-6, 160e-6, 10.0}) {
    const std::string out = fmt::format("{}", timeout);
    const Said said = run("multi_worker_2x2", out, jitter, timeout);
    const json::Value found = results(out);
    EXPECT_EQ(said.exit == cli::Exit::job_failed, found.find("timed_out") != nullptr);
    if (said.exit == cli::Exit::done) continue;
    ++ended;
    EXPECT_GE(timed_out(found, "step"), static_cast<double>(before));
    EXPECT_GT(timed_out(found, "span_s"), timeout);
    before = found.find("timed_out")->find("step")->integer();
  }
  EXPECT_GE(ended, 2);
  EXPECT_LE(ended, 3);
  EXPECT_GT(before, 0);
}

// A worker that never comes isn't late, unless somebody else was before.
TEST_F(CollectiveTimeout, AnEarlierEndComesFirst) {
  const std::string late = R"({"slow": "worker:0", "factor": 3, "from_step": 2})";
  const auto outcome = [&](int step) {
    const std::string faults = fmt::format(R"(faults=[{}, {{"kill": "worker:0", "step": {}}}])", late, step);
    const std::string out = std::to_string(step);
    EXPECT_EQ(run("multi_worker_2x2", out, {"dataset.rows=640", faults}, 300e-6).exit, cli::Exit::job_failed);
    return results(out).find("outcome")->string();
  };
  EXPECT_EQ(outcome(2), "worker_lost");
  EXPECT_EQ(outcome(3), "collective_timed_out");
}

TEST_F(CollectiveTimeout, ST13_OptionsAreHintsThatOtherStrategiesIgnoreAndSaySo) {
  const auto mirrored = [&](const std::string& options) {
    return ScenarioRuns::run("mirrored_small_batch", "out",
                             {"numerics=none", "strategy.communication_options=" + options});
  };
  const Said said = mirrored(R"({"timeout": "1 us"})");
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_TRUE(has(said.messages,
                  "note: \"communication_options\" are hints, which mirrored ignores; multi_worker_mirrored "
                  "takes them\n"))
      << said.messages;
  const Said misspelt = mirrored(R"({"time_out": "1 us"})");
  EXPECT_EQ(misspelt.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(misspelt.messages, "did you mean \"timeout\"?")) << misspelt.messages;

  const std::string alone =
      R"(strategy={"type": "multi_worker_mirrored", "communication_options": {"timeout": "1 us"}})";
  const Said one = ScenarioRuns::run("linear_fit", "one", {alone});
  EXPECT_EQ(one.exit, cli::Exit::done);
  EXPECT_TRUE(has(one.messages, "\"communication_options.timeout\" is ignored: a single replica has no "))
      << one.messages;
}

}  // namespace
}  // namespace wt
