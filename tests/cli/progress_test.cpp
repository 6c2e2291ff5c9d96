// Claims: a training of more than ten seconds is announced with an estimate as soon as a second of steps allows
// one, the time before the first step and what only the first step does are no part of it, and a short training
// gets no line.

#include "cli/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace wt {
namespace {

class ProgressOfSteps : public testing::Test {
 protected:
  // What is printed for steps that end at these times, of a training that has computed `before` of its steps in
  // an earlier run.
  std::string printed(std::int64_t steps, double begin, const std::vector<double>& ends,
                      std::int64_t before = 0) {
    std::ostringstream messages;
    double now = 100;
    cli::Progress progress(messages, steps, [&] { return now; });
    now = 100 + begin;
    progress.begin_steps();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      now = 100 + ends[i];
      progress.show({.step = before + static_cast<std::int64_t>(i), .rows = 1, .loss = 0.5});
    }
    return messages.str();
  }
};

TEST_F(ProgressOfSteps, EstimatesAfterTheFirstStepThatTakesASecond) {
  EXPECT_EQ(printed(61, 0, {3}), "the 60 of 61 steps that are left take about 3 min, without evaluations\n");
}

TEST_F(ProgressOfSteps, DoesNotCountWhatWasDoneBeforeTheFirstStep) {
  EXPECT_EQ(printed(61, 5, {8}), "the 60 of 61 steps that are left take about 3 min, without evaluations\n");
  EXPECT_EQ(printed(3, 5, {7}), "");
}

// The first step takes 0.9 s and each of the others 0.05 s: 998 steps are left after the third.
TEST_F(ProgressOfSteps, CountsOnlyTheOtherStepsOfAShortFirstOne) {
  EXPECT_EQ(printed(1001, 0, {0.9, 0.95}), "");
  EXPECT_EQ(printed(1001, 0, {0.9, 0.95, 1.0}),
            "the 998 of 1001 steps that are left take about 50 s, without evaluations\n");
}

TEST_F(ProgressOfSteps, SaysNothingOfAShortTraining) {
  EXPECT_EQ(printed(9, 0, {1, 2, 3}), "");
  EXPECT_EQ(printed(1, 0, {8}), "");  // no step is left
}

TEST_F(ProgressOfSteps, EstimatesOnce) {
  EXPECT_EQ(printed(100, 0, {2, 4, 6}),
            "the 99 of 100 steps that are left take about 3 min, without evaluations\n");
}

TEST_F(ProgressOfSteps, CountsTheStepsThatAContinuedTrainingHasLeft) {
  EXPECT_EQ(printed(100, 0, {2}, 89),
            "the 10 of 100 steps that are left take about 20 s, without evaluations\n");
}

// From ten seconds on a log gets a line, and the next one after twice the time.
TEST_F(ProgressOfSteps, PrintsFewLines) {
  std::vector<double> ends;
  for (int i = 1; i <= 45; ++i) ends.push_back(i);
  EXPECT_EQ(printed(50, 0, ends),
            "the 49 of 50 steps that are left take about 49 s, without evaluations\n"
            "step 10 of 50, loss 0.5000, 40 s left\n"
            "step 20 of 50, loss 0.5000, 30 s left\n"
            "step 40 of 50, loss 0.5000, 10 s left\n");
}

// An evaluation may take longer than the training, and the training's estimate leaves it out.
TEST(ProgressOfAnEvaluation, PrintsFewLinesWithTheTimeThatIsLeft) {
  std::ostringstream messages;
  double now = 100;
  cli::Progress progress(messages, 1, [&] { return now; });
  for (int evaluation = 0; evaluation < 2; ++evaluation)
    for (int done = 1; done <= 50; ++done) {
      now += 1;
      progress.show_evaluation(done, 50);
    }
  const std::string lines =
      "evaluation: step 11 of 50, 39 s left\n"
      "evaluation: step 21 of 50, 29 s left\n"
      "evaluation: step 41 of 50, 9.0 s left\n";
  EXPECT_EQ(messages.str(), lines + lines);
}

}  // namespace
}  // namespace wt
