// Claims: the items of a job add up, worked out by hand; a time of the scenario replaces each of them; what
// has no time counts as zero and says so; expected restarts agree with a simulation of random failures.

#include "timing/job_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace wt::timing {
namespace {

const JobItem& item(const JobTime& job, std::string_view name) {
  const auto found = std::ranges::find(job.items, name, &JobItem::name);
  if (found == job.items.end()) throw std::runtime_error("no item " + std::string(name));
  return *found;
}

// 10 epochs of 20 whole steps of 100 ms and one partial step of 40 ms, 5 evaluations of 2 s.
JobFacts facts() {
  return {.functions = {.count = 3},
          .whole = {{200, Seconds(0.1)}},
          .partial = {{10, Seconds(0.04)}},
          .fills = {.count = 10, .each = Seconds(0.3)},
          .first_input = {.count = 10, .each = Seconds(0.05)},
          .evaluations = {.count = 5, .each = Seconds(2)},
          .checkpoints = {.count = 2},
          .samples = 20'500,
          .epochs = 10};
}

TEST(JobTime, IsTheSumOfItsItems) {
  const JobTime job = job_time(facts());
  // 200 x 0.1 + 10 x 0.04 + 10 x 0.3 + 10 x 0.05 + 5 x 2
  EXPECT_DOUBLE_EQ(job.total().count(), 33.9);
  EXPECT_DOUBLE_EQ(job.samples_per_second(), 20'500 / 33.9);
  EXPECT_EQ(item(job, "steps").basis, Basis::simulated);
  for (const char* name :
       {"start of processes", "tracing of functions", "checkpoints", "expected restarts"}) {
    EXPECT_EQ(item(job, name).basis, Basis::unmeasured) << name;
    EXPECT_EQ(item(job, name).time(), Seconds(0)) << name;
    EXPECT_FALSE(item(job, name).key.empty());
  }
}

TEST(JobTime, TakesTheTimesOfTheScenario) {
  JobFacts all = facts();
  all.first_values = {.count = 1, .each = Seconds(1)};
  all.given = {.start = Seconds(40),
               .first_values = Seconds(5),
               .tracing = Seconds(12),
               .shuffle = Seconds(1),
               .first_input = Seconds(0.5),
               .step = Seconds(0.2),
               .partial_step = Seconds(0.1),
               .evaluation = Seconds(3),
               .checkpoint = Seconds(7)};
  const JobTime job = job_time(all);
  EXPECT_DOUBLE_EQ(job.total().count(),
                   40 + 5 + 3 * 12 + 10 * 1 + 10 * 0.5 + 200 * 0.2 + 10 * 0.1 + 5 * 3 + 2 * 7);
  for (const JobItem& each : job.items) {
    if (each.name == "expected restarts") continue;
    EXPECT_EQ(each.basis, Basis::given) << each.name;
  }
}

TEST(JobTime, CompilesEveryProgramWhereThereAreSome) {
  JobFacts all = facts();
  EXPECT_THROW(item(job_time(all), "compilation"), std::runtime_error);
  all.programs = 4;
  EXPECT_EQ(item(job_time(all), "compilation").basis, Basis::unmeasured);
  all.compile = Seconds(30);
  EXPECT_EQ(item(job_time(all), "compilation").time(), Seconds(120));
  EXPECT_EQ(item(job_time(all), "compilation").basis, Basis::given);
}

TEST(JobTime, StepsOfSlowPhasesAreOneItem) {
  JobFacts all = facts();
  all.whole = {{150, Seconds(0.1)}, {50, Seconds(0.3)}};
  const JobTime job = job_time(all);
  EXPECT_EQ(item(job, "steps").count, 200);
  EXPECT_DOUBLE_EQ(item(job, "steps").time().count(), 30);
}

TEST(JobTime, HasNoItemsForWhatDoesNotOccur) {
  const JobTime job = job_time({.functions = {.count = 1}, .whole = {{5, Seconds(2)}}, .samples = 50});
  EXPECT_EQ(job.items.size(), 5u);
  EXPECT_EQ(job.total(), Seconds(10));
  EXPECT_FALSE(job.epochs);
}

// The time until `segments` pieces of length `piece` are done, with failures at random, once in `between` on
// average. A failure loses the current piece and takes a restart, in which there may be further failures.
double played(double between, double restart, double piece, int segments, std::mt19937& random) {
  std::exponential_distribution<double> until_failure(1 / between);
  double time = 0;
  for (int done = 0; done < segments;) {
    double wanted = piece;
    for (double failure = until_failure(random); failure < wanted; failure = until_failure(random)) {
      time += failure;
      wanted = restart + piece;
    }
    time += wanted;
    ++done;
  }
  return time;
}

// The played restarts end with the piece that follows, as one interval that has to pass without a failure.
TEST(JobTime, ExpectedRestartsAgreeWithRandomFailures) {
  JobFacts all{.functions = {.count = 1}, .whole = {{1000, Seconds(3.6)}}, .checkpoints = {.count = 4}};
  all.given = {.checkpoint = Seconds(25), .time_between_failures = Seconds(8000), .restart = Seconds(100)};
  all.machines = 2;
  const JobTime job = job_time(all);
  EXPECT_EQ(item(job, "expected restarts").basis, Basis::given);
  std::mt19937 random(7);
  double mean = 0;
  constexpr int times = 20'000;
  for (int i = 0; i < times; ++i) mean += played(4000, 100, 925, 4, random) / times;
  EXPECT_NEAR(job.total().count() / mean, 1, 0.02);
  EXPECT_GT(job.total(), Seconds(4000));
}

TEST(JobTime, RestartsRepeatTheStartUnlessTheirTimeIsGiven) {
  JobFacts all{.functions = {.count = 1}, .whole = {{100, Seconds(1)}}, .checkpoints = {.count = 1}};
  all.given = {.start = Seconds(30), .time_between_failures = Seconds(1e6)};
  const Seconds repeated = item(job_time(all), "expected restarts").time();
  all.given.restart = Seconds(30);
  EXPECT_EQ(item(job_time(all), "expected restarts").time(), repeated);
  all.given.restart = Seconds(60);
  EXPECT_GT(item(job_time(all), "expected restarts").time(), repeated);
}

TEST(JobTime, CheckpointsLimitWhatAFailureLoses) {
  JobFacts all{.functions = {.count = 1}, .whole = {{1000, Seconds(1)}}};
  all.given.time_between_failures = Seconds(2000);
  const double without = item(job_time(all), "expected restarts").time().count();
  EXPECT_NEAR(without, 2000 * std::expm1(0.5) - 1000, 1e-9);  // one segment of half a failure's time
  all.checkpoints.count = 10;
  EXPECT_NEAR(item(job_time(all), "expected restarts").time().count(), 10 * 2000 * std::expm1(0.05) - 1000,
              1e-9);
}

// 50,677 h for each of 16 GPUs, and a day of training without checkpoints.
TEST(JobTime, EstimatesFailuresOfGpusFromAPublishedRate) {
  JobFacts all{.functions = {.count = 1}, .whole = {{86'400, Seconds(1)}}};
  all.devices = 16;
  all.are_gpus = true;
  const JobItem restarts = item(job_time(all), "expected restarts");
  EXPECT_EQ(restarts.basis, Basis::estimated);
  const double between = 54.0 * 24 * 16'384 / 419 / 16 * 3600;
  EXPECT_NEAR(restarts.time().count(), between * std::expm1(86'400 / between) - 86'400, 1e-3);
}

TEST(JobTime, RefusesAJobThatNeverEnds) {
  JobFacts all{.functions = {.count = 1}, .whole = {{1'000'000, Seconds(10)}}};
  all.given.time_between_failures = Seconds(60);
  try {
    job_time(all);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.problems()[0].fact.find("practically never ends"), std::string::npos);
    EXPECT_NE(error.problems()[0].remedy.find("training.checkpointing"), std::string::npos);
  }
}

// A scenario that does not state a rate of failures is never refused for one.
TEST(JobTime, SaysThatAJobNeverEndsAtThePublishedRate) {
  JobFacts all{.functions = {.count = 1}, .whole = {{1'000'000, Seconds(10)}}};
  all.devices = 1 << 17;
  all.are_gpus = true;
  const JobItem restarts = item(job_time(all), "expected restarts");
  EXPECT_EQ(restarts.basis, Basis::unmeasured);
  EXPECT_NE(restarts.note.find("practically never ends"), std::string::npos);
}

}  // namespace
}  // namespace wt::timing
