// Claims: workers take runs from the queue as soon as they are free, a station serves one activity at a time
// in the order of arrival, and flows of different runs share links. Dates are computed by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "simulate/play.h"

namespace wt::simulate {
namespace {

constexpr double exactly = 1e-12;

// The ends of all executions of an activity, by run.
std::map<std::int32_t, double> ends_of(const Outcome& outcome, std::int32_t activity) {
  std::map<std::int32_t, double> ends;
  for (const Occurred& each : outcome.occurred)
    if (each.activity == activity) ends[each.execution] = each.end;
  return ends;
}

void expect_ends(const Outcome& outcome, std::int32_t activity,
                 const std::map<std::int32_t, double>& wanted) {
  const std::map<std::int32_t, double> ends = ends_of(outcome, activity);
  ASSERT_EQ(ends.size(), wanted.size()) << "activity " << activity;
  for (const auto& [run, end] : wanted)
    EXPECT_NEAR(ends.at(run), end, exactly) << activity << ", run " << run;
}

// A worker of 2 s and one of 3 s share 5 runs: the first takes runs 0, 2, 4, the second 1 and 3.
TEST(Tasks, AreTakenByTheWorkerThatIsFreeFirst) {
  Job job;
  job.add({.delay = 2});
  job.add({.delay = 3});
  job.tasks = {.first = {0, 1, 2}, .runs = 5};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 2}, {2, 4}, {4, 6}});
  expect_ends(outcome, 1, {{1, 3}, {3, 6}});
  EXPECT_EQ(outcome.end, 6);
}

// Two workers of 1 s, and 0.5 s for whoever takes runs, one worker at a time. Two runs at once: the first
// worker begins at 0.5 and ends at 1.5 and 2.5; the second one begins at 1 and ends at 2 and 3. The fifth run
// is left for the first, which takes it alone.
TEST(Tasks, AreTakenSeveralAtOnceAndThenTakenOnlyOnce) {
  Job job;
  job.stations = 1;
  for (std::int32_t worker = 0; worker < 2; ++worker) {
    job.add({.delay = 0.5, .station = 0, .is_taking = true});
    job.add({.delay = 1}, {{2 * worker}});
  }
  job.tasks = {.first = {0, 2, 4}, .runs = 5, .at_once = 2};
  const Outcome outcome = play(job);
  expect_ends(outcome, 1, {{0, 1.5}, {2, 2.5}, {4, 4}});
  expect_ends(outcome, 3, {{1, 2}, {3, 3}});
  expect_ends(outcome, 0, {{0, 0.5}, {2, 1.5}, {4, 3}});
}

// Workers of 1, 2 and 3 s in rounds of 3 runs: the second round begins when the slowest has ended the first one.
TEST(Tasks, OfARoundBeginWhenTheRoundBeforeHasEnded) {
  Job job;
  for (int worker = 0; worker < 3; ++worker) job.add({.delay = 1.0 + worker});
  job.tasks = {.first = {0, 1, 2, 3}, .runs = 6, .round = 3};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {3, 4}});
  expect_ends(outcome, 1, {{1, 2}, {4, 5}});
  expect_ends(outcome, 2, {{2, 3}, {5, 6}});
}

// In rounds of one run, the worker that has waited longest comes next.
TEST(Tasks, OfRoundsOfOneAreTakenInTurn) {
  Job job;
  for (int worker = 0; worker < 3; ++worker) job.add({.delay = 1});
  job.tasks = {.first = {0, 1, 2, 3}, .runs = 5, .round = 1};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {3, 4}});
  expect_ends(outcome, 1, {{1, 2}, {4, 5}});
  expect_ends(outcome, 2, {{2, 3}});
}

// Two workers that take two runs at once leave the fifth run of a round to one of them, and the other waits.
TEST(Tasks, ThatAreTakenTogetherAreOfOneRound) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1});
  job.tasks = {.first = {0, 1, 2}, .runs = 7, .at_once = 2, .round = 5};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {2, 2}, {4, 3}});
  expect_ends(outcome, 1, {{1, 1}, {3, 2}, {5, 4}, {6, 5}});
}

TEST(Tasks, GoToTheWorkerWithTheSmallerNumberAtTheSameDate) {
  Job job;
  for (int worker = 0; worker < 3; ++worker) job.add({.delay = 1});
  job.tasks = {.first = {0, 1, 2, 3}, .runs = 4};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {3, 2}});
  expect_ends(outcome, 1, {{1, 1}});
  expect_ends(outcome, 2, {{2, 1}});
}

TEST(Tasks, LeaveAWorkerIdleIfThereAreFewerRunsThanWorkers) {
  Job job;
  job.add({.delay = 1});
  job.add({.delay = 1}, {{0}});
  job.add({.delay = 1});
  job.add({.delay = 1}, {{2}});
  job.tasks = {.first = {0, 2, 4}, .runs = 1};
  const Outcome outcome = play(job);
  EXPECT_EQ(outcome.occurred.size(), 2U);
  EXPECT_EQ(outcome.end, 2);
}

// Each worker computes for 1 s and then needs the station for 2 s. It is occupied from 1 s on without a pause,
// and the three workers follow each other.
TEST(Tasks, WaitForAStationInTheOrderOfTheirArrival) {
  Job job;
  job.stations = 1;
  for (std::int32_t worker = 0; worker < 3; ++worker) {
    job.add({.delay = 1});
    job.add({.delay = 2, .station = 0}, {{2 * worker}});
  }
  job.tasks = {.first = {0, 2, 4, 6}, .runs = 6};
  const Outcome outcome = play(job);
  expect_ends(outcome, 1, {{0, 3}, {3, 9}});
  expect_ends(outcome, 3, {{1, 5}, {4, 11}});
  expect_ends(outcome, 5, {{2, 7}, {5, 13}});
}

// Two workers pull 1 GB over one link of 1 GB/s at the same time, so each pull takes 2 s, and a third one that
// begins while the others compute has the link alone.
TEST(Tasks, ShareLinksWithTheFlowsOfOtherRuns) {
  Job job;
  job.bandwidths = {1e9};
  for (std::int32_t worker = 0; worker < 2; ++worker) {
    job.add(job.flow(0, 1'000'000'000, {{0}}));
    job.add({.delay = worker == 0 ? 1.0 : 10.0}, {{2 * worker}});
  }
  job.tasks = {.first = {0, 2, 4}, .runs = 3};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 2}, {2, 4}});
  expect_ends(outcome, 2, {{1, 2}});
  EXPECT_EQ(outcome.links[0].carried, 3'000'000'000);
  EXPECT_NEAR(outcome.links[0].busy, 3, exactly);
}

TEST(Tasks, MultiplyTheDelaysThatArePacedByThePaceOfTheRun) {
  Job job;
  job.add({.delay = 1, .is_paced = true});
  job.add({.delay = 1}, {{0}});
  job.tasks = {.first = {0, 2}, .runs = 2, .paces = {3, 0.5}};
  expect_ends(play(job), 1, {{0, 4}, {1, 5.5}});
}

// A pull reads when its bytes begin to flow, and an update writes when it ends.
TEST(Tasks, AreListedInTheOrderInWhichTheyTakeEffect) {
  Job job;
  job.bandwidths = {1e9};
  job.stations = 1;
  for (std::int32_t worker = 0; worker < 2; ++worker) {
    job.add(job.flow(0.5, 1'000'000'000, {{0}}));         // begins at 0.5 s
    job.add({.delay = 1, .station = 0}, {{2 * worker}});  // an update
  }
  job.tasks = {.first = {0, 2, 4}, .runs = 3};
  std::vector<std::pair<std::int32_t, std::int32_t>> order;
  for (const Occurred& each : play(job).occurred) order.emplace_back(each.activity, each.execution);
  // The pulls end at 2.5 s; the updates end at 3.5 and 4.5 s; the first worker's next pull begins at 4 s.
  const std::vector<std::pair<std::int32_t, std::int32_t>> wanted{{0, 0}, {2, 1}, {1, 0},
                                                                  {0, 2}, {3, 1}, {1, 2}};
  EXPECT_EQ(order, wanted);
}

// ---- Workers that are lost

constexpr double never = std::numeric_limits<double>::infinity();

// By run of the queue, the worker that completed it. Every run is completed at most once.
std::map<std::int32_t, std::int32_t> completed(const Outcome& outcome) {
  std::map<std::int32_t, std::int32_t> by_run;
  for (const Execution& each : outcome.executions)
    if (std::isinf(each.lost)) {
      EXPECT_TRUE(by_run.try_emplace(each.run, each.worker).second) << each.run;
    }
  return by_run;
}

// Workers of 2 s and 3 s, the first away from 3 s to 5 s. Its second run, number 2 of the queue, is cut off and goes
// behind number 4: worker 1 takes 3 at 3 s, worker 0 takes 4 when it is back, and worker 1 takes 2 at 6 s.
TEST(Tasks, OfALostWorkerGoToTheEndOfTheQueue) {
  Job job;
  job.add({.delay = 2, .is_own = true});
  job.add({.delay = 3, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 5, .absences = {{0, 3, 5}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 2}, {4, 7}});
  expect_ends(outcome, 1, {{1, 3}, {3, 6}, {5, 9}});
  EXPECT_EQ(outcome.executions[2].lost, 3);
  EXPECT_EQ(completed(outcome),
            (std::map<std::int32_t, std::int32_t>{{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 0}}));
}

// Each worker computes for 1 s, and a server updates for 2 s. Worker 0 is lost at 2 s, in the middle of its update,
// which ends at 3 s; at 2.5 s, before its kernel has ended, nothing of it is left, and the server is free at once.
TEST(Tasks, LeaveToServersWhatTheyHaveBegun) {
  Job job;
  job.stations = 1;
  for (std::int32_t worker = 0; worker < 2; ++worker) {
    job.add({.delay = 1 + 2.0 * worker, .is_own = true});
    job.add({.delay = 2, .station = 0}, {{2 * worker}});
  }
  job.tasks = {.first = {0, 2, 4}, .runs = 2, .absences = {{0, 2, never}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 1, {{0, 3}});
  expect_ends(outcome, 3, {{1, 5}, {2, 10}});
  EXPECT_EQ(completed(outcome), (std::map<std::int32_t, std::int32_t>{{0, 1}, {1, 1}}));

  // The update waits behind that of worker 1, and never begins.
  job.activities[0].delay = 3.5;
  job.tasks.absences = {{0, 4, never}};
  const Outcome waiting = play(job);
  expect_ends(waiting, 1, {});
  expect_ends(waiting, 3, {{1, 5}, {2, 10}});
}

// Two logical devices of one processor: when the worker that computes is lost, the other one computes at once.
TEST(Tasks, LeaveTheProcessorOfTheirWorkerWhenItIsLost) {
  Job job;
  job.stations = 1;
  job.add({.delay = 10, .station = 0, .is_own = true});
  job.add({.delay = 1, .station = 0, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 2, .absences = {{0, 4, never}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {});
  expect_ends(outcome, 1, {{1, 5}, {2, 6}});
}

// 1 GB takes 1 s, and the worker is lost at 0.5 s. The bytes arrive, and the worker is back at 0.7 s but begins when
// they have. A message that is still in its latency is never sent.
TEST(Tasks, LetBytesOnTheirWayArrive) {
  Job job;
  job.bandwidths = {1e9};
  job.add(job.flow(0, 1'000'000'000, {{0}}));
  job.add({.delay = 1, .is_own = true}, {{0}});
  job.tasks = {.first = {0, 2}, .runs = 1, .absences = {{0, 0.5, 0.7}}};
  Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {1, 2}});
  expect_ends(outcome, 1, {{1, 3}});
  EXPECT_EQ(outcome.links[0].carried, 2'000'000'000);
  job.activities[0].delay = 0.6;
  outcome = play(job);
  expect_ends(outcome, 0, {{1, 2.3}});
  EXPECT_EQ(outcome.links[0].carried, 1'000'000'000);
}

// The first worker has completed two runs of the three that it took together. All of them are executed again: by
// worker 1, which has no run of its own left.
TEST(Tasks, ThatWereTakenTogetherAreExecutedAgainTogether) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 6, .at_once = 3, .absences = {{0, 2.5, never}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {2, 2}});
  expect_ends(outcome, 1, {{1, 1}, {3, 2}, {5, 3}, {6, 4}, {7, 5}, {8, 6}});
  EXPECT_EQ(completed(outcome).size(), 6U);
  for (const auto& [run, worker] : completed(outcome)) EXPECT_EQ(worker, 1) << run;
}

// A round ends when the runs that were put back have ended. Runs are 0 to 3, 0.5 s before the end of the first round
// worker 1 is lost, and worker 0 executes its run before the second round begins.
TEST(Tasks, OfARoundWaitForThoseThatWerePutBack) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 4, .round = 2, .absences = {{1, 0.5, 2.5}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{0, 1}, {2, 2}, {3, 3}});
  expect_ends(outcome, 1, {{4, 3.5}});
  EXPECT_EQ(completed(outcome).size(), 4U);
}

TEST(Tasks, OfAWorkerThatIsAwayAtTheBeginningBeginWhenItIsThere) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 4, .absences = {{0, 0, 1.5}, {0, 1, 2.25}}};
  const Outcome outcome = play(job);
  expect_ends(outcome, 0, {{3, 3.25}});
  expect_ends(outcome, 1, {{0, 1}, {1, 2}, {2, 3}});
}

// A worker has completed what ends at the moment of its loss, and one that waits has nothing to lose.
TEST(Tasks, ThatEndWhenTheirWorkerIsLostAreCompleted) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1.0 + worker, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 2, .absences = {{0, 1, never}, {1, 2, never}}};
  const Outcome outcome = play(job);
  EXPECT_EQ(completed(outcome).size(), 2U);
  EXPECT_EQ(outcome.executions.size(), 2U);
}

TEST(Tasks, AreLeftOverWhenNoWorkerComesBack) {
  Job job;
  for (int worker = 0; worker < 2; ++worker) job.add({.delay = 1, .is_own = true});
  job.tasks = {.first = {0, 1, 2}, .runs = 9, .absences = {{0, 1.5, never}, {1, 2.5, never}}};
  const Outcome outcome = play(job);
  EXPECT_EQ(completed(outcome).size(), 3U);
  EXPECT_EQ(outcome.end, 2);
  job.tasks.absences = {{0, 0, never}, {1, 0, never}};
  EXPECT_TRUE(play(job).executions.empty());
}

TEST(Tasks, OfASlowWorkerTakeLongerForARangeOfExecutions) {
  Job job;
  job.add({.delay = 1, .is_own = true});
  job.add({.delay = 1}, {{0}});
  job.tasks = {.first = {0, 2}, .runs = 4, .slow = {{0, 1, 3, 3}}};
  expect_ends(play(job), 1, {{0, 2}, {1, 6}, {2, 10}, {3, 12}});
}

TEST(Tasks, RefuseAbsencesOfNoWorkerOrBeforeTheBeginning) {
  Job job;
  job.add({.delay = 1});
  for (const Absence& absence : {Absence{1, 0, 1}, Absence{-1, 0, 1}, Absence{0, -1, 1}, Absence{0, 2, 1}}) {
    job.tasks = {.first = {0, 1}, .runs = 1, .absences = {absence}};
    EXPECT_THROW(play(job), InternalError);
  }
}

TEST(Tasks, MustNotDependOnEachOther) {
  Job job;
  job.add({.delay = 1});
  job.add({.delay = 1}, {{0}});
  job.tasks = {.first = {0, 1, 2}, .runs = 1};
  EXPECT_THROW(play(job), InternalError);
  job.tasks = {.first = {0, 2, 2}, .runs = 1};
  EXPECT_THROW(play(job), InternalError);
}

}  // namespace
}  // namespace wt::simulate
