// Claims: the course of a job through failures adds up, keeps every step exactly once, and comes to the time that a
// planner works out by hand; random failures take the time that is expected of them.

#include "timing/job_course.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "timing/goodput.h"

namespace wt::timing {
namespace {

// Steps of 1 s, and a checkpoint of 5 s after each `interval` of them.
Undisturbed job_of(std::int64_t steps, std::int64_t interval) {
  Undisturbed job;
  for (std::int64_t step = 0; step < steps; step += interval) {
    job.add_steps(std::min(interval, steps - step), Seconds(1));
    job.add_save(Seconds(5));
  }
  return job;
}

Failure killed_before(std::int64_t step) { return {.name = "/job:worker/replica:0/task:1", .step = step}; }
Failure killed_at(Seconds time) { return {.name = "/job:worker/replica:0/task:1", .time = time}; }

// The others find out after 10 s, and a restart takes 60 s.
CourseOptions options(std::int64_t restarts) {
  return {.restarts = restarts,
          .restart = Seconds(60),
          .ending =
              [](const Failure& failure, std::int64_t step, Seconds begin) {
                return LostWorker{.worker = failure.name, .step = step, .end = begin + Seconds(10)};
              },
          .patience = Seconds(10)};
}

TEST(JobCourse, WithoutFailuresIsTheUndisturbedJob) {
  const JobCourse course = course_of(job_of(100, 50), {}, options(3));
  EXPECT_TRUE(course.is_complete);
  EXPECT_EQ(course.end, Seconds(110));
  EXPECT_EQ(course.restarts(), 0);
  EXPECT_NEAR(course.goodput(), 100.0 / 110, 1e-12);
}

// By hand: step 73 begins at 78 s; 10 s and 60 s later step 50 begins, and 50 steps and a checkpoint take 55 s.
TEST(JobCourse, ALostWorkerCostsTheWaitTheRestartAndTheStepsSinceTheCheckpoint) {
  Faults faults;
  faults.failures = {killed_before(73)};
  const JobCourse course = course_of(job_of(100, 50), faults, options(1));
  ASSERT_EQ(course.attempts.size(), 2u);
  EXPECT_EQ(course.attempts[0].end, 73);
  EXPECT_EQ(course.attempts[0].kept, 50);
  EXPECT_EQ(course.lost_steps(), 23);
  EXPECT_EQ(course.attempts[1].begin, Seconds(148));
  EXPECT_EQ(course.end, Seconds(203));
  EXPECT_TRUE(course.is_complete);
  EXPECT_EQ(*course.time_to_recover, Seconds(70 + 23));
}

TEST(JobCourse, WithoutARestartTheJobEndsThere) {
  Faults faults;
  faults.failures = {killed_before(73)};
  const JobCourse course = course_of(job_of(100, 50), faults, options(0));
  EXPECT_FALSE(course.is_complete);
  EXPECT_EQ(course.attempts.size(), 1u);
  EXPECT_EQ(course.end, Seconds(88));
}

TEST(JobCourse, AJobWaitsForItsMachine) {
  Faults faults;
  faults.failures = {killed_at(Seconds(30))};
  faults.failures[0].back_after = Seconds(1000);
  const JobCourse course = course_of(job_of(100, 50), faults, options(1));
  EXPECT_EQ(course.attempts[1].begin, Seconds(30 + 1000 + 60));
  EXPECT_EQ(course.attempts[1].first, 0);  // nothing was saved
}

// A worker fails at 10 s, or before step 10, which the training survives, and its machine is away for 500 s. At 30 s
// something else ends the job, which starts again when both machines are there.
TEST(JobCourse, ARestartWaitsForMachinesWhoseFailuresWereSurvived) {
  Failure survived{.victim = Victim::worker, .name = "/job:worker/replica:0/task:1", .step = 10};
  survived.back_after = Seconds(500);
  Failure ends = killed_at(Seconds(30));
  ends.victim = Victim::server;
  CourseOptions pool = options(1);
  pool.is_survived = [](const Failure& failure) { return failure.victim == Victim::worker; };
  for (const bool has_time : {false, true}) {
    if (has_time) survived.time = Seconds(10);
    Faults faults;
    faults.failures = {ends, survived};
    const JobCourse course = course_of(job_of(100, 50), faults, pool);
    ASSERT_EQ(course.attempts.size(), 2u);
    EXPECT_EQ(course.attempts[1].begin, Seconds(10 + 500 + 60));
  }
}

TEST(JobCourse, FailuresThatNeverStopAreAnError) {
  Failure worker{.victim = Victim::worker};
  Faults faults;
  faults.random = {{.mean_time = Seconds(1e-9), .parts = {worker}}};
  CourseOptions pool = options(1);
  pool.is_survived = [](const Failure& failure) { return failure.victim == Victim::worker; };
  EXPECT_THROW(course_of(job_of(100, 50), faults, pool), InputError);
}

TEST(JobCourse, AProcessThatIsLostWhileItStartsStartsAgain) {
  Faults faults;
  faults.failures = {killed_at(Seconds(30)), killed_at(Seconds(70))};
  const JobCourse course = course_of(job_of(100, 50), faults, options(5));
  ASSERT_EQ(course.attempts.size(), 3u);
  EXPECT_EQ(course.attempts[1].begin, course.attempts[1].stop);
  EXPECT_EQ(course.attempts[1].end, 0);
  EXPECT_GE(course.attempts[2].begin, Seconds(130));
}

TEST(JobCourse, AShortCutIsAStallAndALongOneEndsTheAttempt) {
  Failure cut = killed_at(Seconds(20));
  cut.kind = FailureKind::cut;
  cut.back_after = Seconds(3);
  Faults faults;
  faults.failures = {cut};
  const JobCourse stalled = course_of(job_of(100, 50), faults, options(1));
  EXPECT_EQ(stalled.end, Seconds(113));
  EXPECT_EQ(stalled.stalls.size(), 1u);
  faults.failures[0].back_after = Seconds(30);
  EXPECT_EQ(course_of(job_of(100, 50), faults, options(1)).restarts(), 1);
}

TEST(JobCourse, StallsThatOverlapDontAddUp) {
  Failure cut = killed_at(Seconds(20));
  cut.kind = FailureKind::cut;
  cut.back_after = Seconds(3);
  Failure later = cut, within = cut;
  later.time = Seconds(21);
  within.time = Seconds(21.5);
  within.back_after = Seconds(1);
  Faults faults;
  faults.failures = {cut, cut, later, within};
  const JobCourse course = course_of(job_of(100, 50), faults, options(1));
  EXPECT_EQ(course.end, Seconds(114));
  ASSERT_EQ(course.stalls.size(), 2u);
  EXPECT_EQ(course.stalls[1].begin, Seconds(23));
}

// Step 20 is under way at 20.5 s. The state after step 21 is saved at 27 s, as TensorFlow does (recording
// preemption_sigterm_2: one more step after the notice).
TEST(JobCourse, APreemptedProcessSavesIfItsGraceIsLongEnough) {
  Failure preempted = killed_at(Seconds(20.5));
  preempted.kind = FailureKind::preempted;
  for (const double grace : {6.4, 6.6}) {
    preempted.grace = Seconds(grace);
    Faults faults;
    faults.failures = {preempted};
    CourseOptions saving = options(1);
    saving.save_before_preemption = Seconds(5);
    const JobCourse course = course_of(job_of(100, 50), faults, saving);
    EXPECT_EQ(course.attempts[0].is_saved_in_time, grace > 6.5);
    EXPECT_EQ(course.attempts[0].kept, grace > 6.5 ? 22 : 0);
    EXPECT_EQ(course.attempts[1].first, course.attempts[0].kept);
  }
}

// By hand, for steps of 1 s, saves of 5 s, and a notice at 20.5 s: step 21 is saved at 27 s. With a grace period of 30 s the
// last save is proposed at the start of the first step after 20.5 + 30 - 6 s, which is that of 45 s, and made after
// it, at 46 s: 22 + 19 steps. A process that is killed before 51 s goes back to the first save.
TEST(JobCourse, ThroughAGracePeriodTheTrainingGoesOnAndIsSavedOnceMore) {
  Failure preempted = killed_at(Seconds(20.5));
  preempted.kind = FailureKind::preempted;
  CourseOptions saving = options(1);
  saving.save_before_preemption = Seconds(5);
  saving.grace_period = Seconds(30);
  for (const double grace : {6.0, 20.0, 30.4, 30.6}) {
    preempted.grace = Seconds(grace);
    Faults faults;
    faults.failures = {preempted};
    const JobCourse course = course_of(job_of(100, 100), faults, saving);
    const Attempt& first = course.attempts[0];
    EXPECT_EQ(first.saved_on_notice.has_value(), grace > 7);
    EXPECT_EQ(first.is_saved_in_time, grace > 30.5);
    EXPECT_EQ(first.kept, grace > 30.5 ? 41 : grace > 7 ? 22 : 0);
    EXPECT_EQ(first.end, grace > 30.5 ? 41 : grace > 30 ? 45 : grace > 7 ? 22 + 13 : 20);
    EXPECT_LE(first.stop, Seconds(20.5 + std::max(grace, 6.5)));
    EXPECT_TRUE(course.is_complete);
  }
}

TEST(JobCourse, ATrainingThatFailsTooOftenIsGivenUp) {
  Faults faults;
  faults.random = {{.mean_time = Seconds(1), .parts = {killed_at({})}}};
  const JobCourse course = course_of(job_of(100'000, 50'000), faults, options(1'000'000'000));
  EXPECT_TRUE(course.never_ends);
  EXPECT_FALSE(course.is_complete);
}

// Steps are done, kept and lost so that in the end each is kept once, whatever fails.
TEST(JobCourse, EveryStepIsKeptOnce) {
  for (std::int64_t seed = 0; seed < 200; ++seed) {
    Faults faults;
    faults.random = {
        {.mean_time = Seconds(40 + static_cast<double>(seed)), .parts = {killed_at({}), killed_at({})}}};
    const PhiloxCounter drawn = stream_of({seed, 9}).block(0);
    faults.failures = {killed_before(drawn[0] % 300), killed_at(Seconds(drawn[1] % 300))};
    CourseOptions drawing = options(10'000);
    drawing.seed = seed;
    const Undisturbed job = job_of(300, 1 + drawn[2] % 60);
    const JobCourse course = course_of(job, faults, drawing);
    ASSERT_TRUE(course.is_complete) << "seed " << seed;
    std::int64_t kept = 0;
    Seconds before{};
    for (const Attempt& attempt : course.attempts) {
      EXPECT_EQ(attempt.first, kept) << "seed " << seed;
      EXPECT_LE(attempt.kept, attempt.end) << "seed " << seed;
      EXPECT_GE(attempt.kept, kept) << "seed " << seed;
      EXPECT_GE(attempt.begin, before) << "seed " << seed;
      EXPECT_GE(attempt.stop, attempt.begin) << "seed " << seed;
      kept = attempt.kept;
      before = attempt.lost ? attempt.lost->end : attempt.stop;
    }
    EXPECT_EQ(kept, 300) << "seed " << seed;
    EXPECT_EQ(course.end, before) << "seed " << seed;
  }
}

// Jobs whose failures are drawn take, on average, what Daly's model expects of them.
TEST(JobCourse, DrawnFailuresTakeTheExpectedTime) {
  const std::int64_t interval = 500, steps = 20'000;
  const Undisturbed job = job_of(steps, interval);
  const Segments segments{.count = static_cast<double>(steps / interval),
                          .work = Seconds(500),
                          .checkpoint = Seconds(5),
                          .restart = Seconds(60),
                          .between_failures = Seconds(2000)};
  Faults faults;
  faults.random = {{.mean_time = Seconds(2000), .parts = {killed_at({})}}};
  CourseOptions at_once = options(1'000'000);
  at_once.ending = [](const Failure& failure, std::int64_t step, Seconds) {
    return LostWorker{.worker = failure.name, .step = step};
  };
  double sum = 0;
  constexpr std::int64_t jobs = 400;
  for (at_once.seed = 0; at_once.seed < jobs; ++at_once.seed)
    sum += course_of(job, faults, at_once).end.count();
  EXPECT_NEAR(sum / jobs / expected_time(segments).count(), 1, 0.02);
}

}  // namespace
}  // namespace wt::timing
