// Claims: a training whose process gets the notice of its preemption saves the state of the step after which TensorFlow was
// recorded to save it (failures.tar.gz), and goes on from there; with a grace period it is saved twice.

#include "recordings/failures.h"
#include "timing/job_course.h"

namespace wt::recordings {
namespace {

// One run of a process: what it began with, how far it came, and how many steps it made after the notice.
std::int64_t steps_of(const json::Value& process, std::string_view key) {
  return at(process, key).elements()[1].integer();
}

// The process that got the notice, of those that ran before the job was started again.
const json::Value& preempted(const Recording& recording) {
  const json::Value* task = recording.config("who");
  for (const json::Value& process : processes(recording))
    if (at(process, "run").integer() == 0 &&
        at(process, "task").elements()[1].integer() == (task == nullptr ? 1 : task->integer()))
      return process;
  throw InputError("no process of the recording got a notice");
}

timing::JobCourse course_of(const Recording& recording, Seconds grace_period) {
  const json::Value& process = preempted(recording);
  const std::int64_t before_notice =
      at(process, "calls_made").integer() - at(process, "run_calls_after_signal").integer();
  timing::Undisturbed job;
  job.add_steps(recording.config("total")->integer(), Seconds(0.2));
  timing::Faults faults;
  faults.failures = {
      {.kind = timing::FailureKind::preempted, .step = before_notice, .grace = grace_period + Seconds(60)}};
  return timing::course_of(job, faults,
                           {.restarts = 1,
                            .ending = [](const timing::Failure&, std::int64_t,
                                         Seconds begin) { return timing::LostWorker{.end = begin}; },
                            .save_before_preemption = Seconds(0.1),
                            .grace_period = grace_period});
}

class Preemptions : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Recordings, Preemptions,
                         testing::Combine(testing::Values("keras2", "keras3"),
                                          testing::Values("preemption_mirrored", "preemption_sigterm_2",
                                                          "preemption_sigterm_leader")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(Preemptions, AreSavedAfterTheStepOfWhichTensorFlowSavedIt) {
  const auto& [version, id] = GetParam();
  const Recording& recording = failures().named(version, id);
  const timing::JobCourse course = course_of(recording, {});
  ASSERT_EQ(course.attempts.size(), 2U);
  for (const json::Value& process : processes(recording)) {
    const auto run = static_cast<std::size_t>(at(process, "run").integer());
    EXPECT_EQ(course.attempts[run].first, steps_of(process, "start"));
    EXPECT_EQ(course.attempts[run].end, steps_of(process, "end"));
  }
  EXPECT_EQ(course.lost_steps(), 0);
}

// In the recorded program a call of run takes no time, and what lies between two calls takes 0.2 s. So TensorFlow proposes
// the last save when the period is over, and ours six steps earlier.
class GracePeriods : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Recordings, GracePeriods,
                         testing::Combine(testing::Values("keras2", "keras3"),
                                          testing::Values("preemption_grace", "preemption_mirrored_grace")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(GracePeriods, AreTrainedThroughAndSavedTwice) {
  const auto& [version, id] = GetParam();
  const Recording& recording = failures().named(version, id);
  const Seconds grace_period(static_cast<double>(recording.config("grace")->integer()));
  const json::Value& process = preempted(recording);
  const timing::Attempt attempt = course_of(recording, grace_period).attempts.front();
  EXPECT_TRUE(attempt.is_saved_in_time);
  EXPECT_EQ(attempt.saved_on_notice, 4);
  EXPECT_LE(attempt.end, steps_of(process, "end"));
  EXPECT_GE(attempt.end, steps_of(process, "end") - 6);
  const std::vector<json::Value>& files = at(process, "files_at_exit").elements();
  EXPECT_TRUE(std::ranges::any_of(
      files, [](const json::Value& file) { return file.string().find("ckpt-2") != std::string_view::npos; }));
}

}  // namespace
}  // namespace wt::recordings
