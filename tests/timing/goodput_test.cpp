// Claims: expected times agree with closed forms and with jobs whose failures are drawn; the best interval is a
// minimum of the expected time, and Daly's formula is near it.

#include "timing/goodput.h"

#include <gtest/gtest.h>

#include <cmath>

#include "timing/job_time.h"

namespace wt::timing {
namespace {

constexpr Seconds hour(3600);

// A job of 100 hours whose parts fail once in `between` on average.
Segments job_of(Seconds interval, Seconds between) {
  return {.count = std::round(hour * 100 / interval),
          .work = interval,
          .checkpoint = Seconds(30),
          .restart = Seconds(300),
          .between_failures = between};
}

TEST(Goodput, WithoutFailuresAJobTakesItsWorkAndItsCheckpoints) {
  const Segments job = job_of(hour, hour * 1e9);
  EXPECT_NEAR(expected_time(job).count(), 100 * 3630, 1);
  EXPECT_NEAR(expected_failures(job), 0, 1e-6);
}

// With a failure in 3 h, half an interval and a restart are lost by each: a first order that a planner does by hand.
TEST(Goodput, OfRareFailuresIsTheFirstOrderOfAPlanner) {
  const Seconds between = hour * 3;
  const Segments job = job_of(Seconds(600), between);
  const double all = 630, lost = (630 / 2.0 + 300) * 630 / between.count();
  EXPECT_NEAR(expected_time(job) / (Seconds(all + lost) * job.count), 1, 0.01);
}

TEST(Goodput, PlayedJobsTakeTheExpectedTime) {
  for (const Seconds between : {hour / 4, hour, hour * 24})
    for (const Seconds interval : {Seconds(120), Seconds(900), hour}) {
      const Segments job = job_of(interval, between);
      const std::optional<PlayedJobs> played = play_jobs(job, 1000, 7);
      ASSERT_TRUE(played);
      EXPECT_NEAR(played->mean / expected_time(job), 1, 0.03) << between.count() << " " << interval.count();
      EXPECT_NEAR(played->failures / expected_failures(job), 1, 0.03);
      EXPECT_LE(played->low, played->mean);
      EXPECT_GE(played->high, played->mean);
    }
}

// Checkpoints that are written beside the training: a failure meanwhile goes back to the one before.
TEST(Goodput, PlayedJobsLoseWhatWasNotWritten) {
  for (const double written : {30.0, 300.0, 840.0}) {
    Segments job = job_of(Seconds(900), hour * 10);
    const Seconds without = play_jobs(job, 4000, 7)->mean;
    job.written = Seconds(written);
    const std::optional<PlayedJobs> played = play_jobs(job, 4000, 7);
    EXPECT_NEAR(played->mean / expected_time(job), 1, 0.01) << written;
    // First order: each failure loses as much more.
    const double failures = job.each() * job.count / job.between_failures;
    EXPECT_NEAR((played->mean - without) / Seconds(failures * written), 1, 0.25) << written;
  }
}

TEST(Goodput, JobsAreDrawnFromTheSeed) {
  const Segments job = job_of(hour, hour);
  EXPECT_EQ(play_jobs(job, 10, 1)->mean, play_jobs(job, 10, 1)->mean);
  EXPECT_NE(play_jobs(job, 10, 1)->mean, play_jobs(job, 10, 2)->mean);
}

TEST(Goodput, AJobThatPracticallyNeverEndsIsNotPlayed) {
  EXPECT_FALSE(play_jobs(job_of(hour, Seconds(60)), 1000, 1));
  EXPECT_FALSE(play_jobs(job_of(hour, Seconds(1)), 1000, 1));  // infinitely many failures
}

Seconds time_with(Seconds interval, Seconds checkpoint, Seconds between) {
  return expected_time({.count = hour * 1000 / interval,
                        .work = interval,
                        .checkpoint = checkpoint,
                        .restart = Seconds(60),
                        .between_failures = between});
}

TEST(Goodput, TheBestIntervalIsAMinimum) {
  for (const Seconds checkpoint : {Seconds(0.1), Seconds(5), Seconds(600)})
    for (const Seconds between : {Seconds(1800), hour * 3, hour * 1000}) {
      const Seconds best = best_interval(checkpoint, between);
      for (const double factor : {0.9, 1.1})
        EXPECT_LT(time_with(best, checkpoint, between), time_with(best * factor, checkpoint, between))
            << checkpoint.count() << " " << between.count();
    }
}

// Daly derives the formula for checkpoints that are short beside the time between failures.
TEST(Goodput, DalysFormulaIsWithinAPercentOfTheBestInterval) {
  for (const Seconds checkpoint : {Seconds(0.1), Seconds(5), Seconds(300)})
    for (const Seconds between : {hour, hour * 3, hour * 1000})
      EXPECT_NEAR(daly_interval(checkpoint, between) / best_interval(checkpoint, between), 1, 0.01)
          << checkpoint.count() << " " << between.count();
  EXPECT_EQ(daly_interval(hour * 3, hour), hour);  // beyond the formula: the time between failures
}

// ---- As part of a job

JobFacts facts() {
  return {
      .given = {.start = Seconds(60), .time_between_device_failures = hour * 3000, .restart = Seconds(300)},
      .whole = {{360'000, Seconds(1)}},
      .checkpoints = {.count = 600, .each = Seconds(5)},
      .devices = 1000,
      .are_gpus = true,
      .samples = 360'000};
}

TEST(Goodput, OfAJobIsTheShareOfStepsInItsTime) {
  const JobTime job = job_time(facts());
  ASSERT_TRUE(job.goodput);
  EXPECT_DOUBLE_EQ(job.goodput->segments.between_failures.count(), 3 * 3600);
  EXPECT_NEAR(job.goodput->share, 360'000 / job.total().count(), 1e-12);
  EXPECT_NEAR(*job.goodput->best / best_interval(Seconds(5), hour * 3), 1, 1e-12);
  EXPECT_EQ(*job.goodput->best_steps, std::llround(job.goodput->best->count()));
  EXPECT_GT(job.goodput->best_share, job.goodput->share);
  EXPECT_NEAR(job.goodput->played->mean / job.total(), 1, 0.01);
}

TEST(Goodput, FailuresOfMachinesAndDevicesAddUp) {
  JobFacts both = facts();
  both.machines = 125;
  both.given.time_between_failures = hour * 375;  // once in 3 h, as the devices
  EXPECT_NEAR(job_time(both).goodput->segments.between_failures.count(), 1.5 * 3600, 1e-6);
}

TEST(Goodput, WithoutATimeOfCheckpointsThereIsNoBestInterval) {
  JobFacts unknown = facts();
  unknown.checkpoints.each.reset();
  EXPECT_FALSE(job_time(unknown).goodput->best);
  unknown.are_gpus = false;
  unknown.given.time_between_device_failures.reset();
  EXPECT_FALSE(job_time(unknown).goodput);  // how often something fails is unknown
}

}  // namespace
}  // namespace wt::timing
