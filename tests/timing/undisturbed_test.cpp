// Claims: a line of time says when a training is at a step, and at which step it is at a time; the two agree.

#include "timing/undisturbed.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace wt::timing {
namespace {

// 100 steps of 2 s, a checkpoint of 5 s, 50 steps of 1 s, an evaluation of 7 s and a checkpoint, 10 steps of 3 s.
Undisturbed example() {
  Undisturbed job;
  job.add_steps(100, Seconds(2));
  job.add_save(Seconds(5));
  job.add_steps(50, Seconds(1));
  job.add_pause(Seconds(7));
  job.add_save(Seconds(5));
  job.add_steps(10, Seconds(3));
  return job;
}

TEST(Undisturbed, ACheckpointLiesBetweenTwoSteps) {
  const Undisturbed job = example();
  EXPECT_EQ(job.steps(), 160);
  EXPECT_EQ(job.begin_of(99), Seconds(198));
  EXPECT_EQ(job.begin_of(100), Seconds(205));
  EXPECT_EQ(job.begin_of(150), Seconds(267));
  EXPECT_EQ(job.end(), Seconds(297));
  EXPECT_EQ(job.time_of_steps(), Seconds(280));
  EXPECT_EQ(job.length_of(100), Seconds(1));
}

TEST(Undisturbed, ASaveCountsWhenItIsComplete) {
  const Undisturbed job = example();
  EXPECT_EQ(job.at(Seconds(203)).steps, 100);
  EXPECT_EQ(job.at(Seconds(203)).saved, std::nullopt);
  EXPECT_EQ(job.at(Seconds(205.5)).saved, 100);
  EXPECT_EQ(job.at(Seconds(266)).saved, 100);
  EXPECT_EQ(job.at(Seconds(268)).saved, 150);
  EXPECT_EQ(job.at(Seconds(1000)).steps, 160);
}

// After 10 steps of 2 s the training waits 1 s, and the checkpoint is written for 7 s, in which steps take 3 s. The one after
// 11 steps would begin at 24 s and waits until 28 s.
TEST(Undisturbed, ASaveBesideTheTrainingCountsWhenItIsWritten) {
  Undisturbed job;
  job.add_steps(10, Seconds(2));
  job.add_save(Seconds(1), Seconds(7));
  job.add_steps(1, Seconds(2), Seconds(3));
  job.add_save(Seconds(1), Seconds(7));
  job.add_steps(10, Seconds(2), Seconds(3));
  job.add_save(Seconds(1), Seconds(7));
  job.finish();
  EXPECT_EQ(job.begin_of(10), Seconds(21));
  EXPECT_EQ(job.at(Seconds(27)).saved, std::nullopt);
  EXPECT_EQ(job.at(Seconds(28)).saved, 10);
  EXPECT_EQ(job.begin_of(11), Seconds(29));
  EXPECT_EQ(job.saved_before(11), 10);
  EXPECT_EQ(job.begin_of(14), Seconds(38));
  EXPECT_EQ(job.saved_before(13), 10);
  EXPECT_EQ(job.saved_before(14), 11);
  EXPECT_EQ(job.begin_of(15), Seconds(40));
  EXPECT_EQ(job.end(), Seconds(38 + 7 * 2 + 1 + 7));
  EXPECT_EQ(job.time_of_steps(), Seconds(42));
}

TEST(Undisturbed, StepsAndTimesAgree) {
  for (std::int64_t seed = 0; seed < 50; ++seed) {
    const PhiloxStream stream = stream_of({seed, 0});
    Undisturbed job;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const PhiloxCounter drawn = stream.block(i);
      job.add_steps(drawn[0] % 7, Seconds(1 + drawn[1] % 3), Seconds(drawn[1] % 5));
      if (drawn[2] % 3 == 0) job.add_pause(Seconds(drawn[2] % 5));
      if (drawn[3] % 2 == 0) job.add_save(Seconds(drawn[3] % 4), Seconds(seed % 2 == 0 ? 0 : drawn[3] % 9));
    }
    for (std::int64_t step = 0; step < job.steps(); ++step) {
      const Undisturbed::Position at = job.at(job.begin_of(step) + job.length_of(step) / 2);
      EXPECT_EQ(at.steps, step) << "seed " << seed;
      EXPECT_EQ(job.at(job.begin_of(step)).saved, job.saved_before(step))
          << "seed " << seed << ", step " << step;
      EXPECT_GE(job.begin_of(step + 1), job.begin_of(step) + job.length_of(step));
    }
  }
}

}  // namespace
}  // namespace wt::timing
