#pragma once
// The course of a training through failures. It trains until something fails. Then its processes end, after the time
// in which they notice it, and the job is started again from its newest checkpoint, until all steps are trained or the
// allowed number of restarts is used up:
//
//   attempt 1   steps 0 to 73, saved after 50     a worker is killed in step 74
//               10 s until the others find out, 60 s until the processes train again
//   attempt 2   steps 50 to 100                   steps 50 to 73 are trained a second time
//
// Dates count from the beginning of the first step. What must hold: every step is trained to its end in the attempt
// that keeps it, attempts don't overlap, and the end of the course is the sum of its parts.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "timing/ending.h"
#include "timing/faults.h"
#include "timing/undisturbed.h"

namespace wt::timing {

// One start of the job's processes until their end.
struct Attempt {
  Seconds begin{};         // of its first step
  Seconds stop{};          // when it is disturbed, or done
  std::int64_t first = 0;  // the step that it begins with
  std::int64_t end =
      0;  // so many steps are done when it stops, those of earlier attempts that are kept included
  std::int64_t kept = 0;   // with so many the next attempt begins
  std::int64_t saved = 0;  // steps in the newest checkpoint that was complete when it stopped
  // Steps of this attempt that the saved state already contained, because Keras 3's BackupAndRestore begins an epoch
  // anew that it has saved within.
  std::int64_t applied_twice = 0;
  // Batches that this attempt reads a second time, in place of as many of the epoch's last ones, because Keras 2's
  // BackupAndRestore goes on within an epoch, and the dataset begins anew.
  std::int64_t read_twice = 0;
  std::optional<Failure> failure{};  // that ended it; unset: it came to the training's end
  std::optional<LostWorker> lost{};  // with it: how the other processes end, and when
  bool is_saved_in_time = false;     // a preempted process had all of them save before it ended
  // After the notice of a preemption the state of so many steps was saved, and the training went on through a grace
  // period.
  std::optional<std::int64_t> saved_on_notice{};
  std::int64_t lost_steps() const { return failure ? end - kept : 0; }
};

// The network of a task carried nothing for so short a time that nothing ended.
struct Stall {
  Failure failure{};
  Seconds begin{};
  Seconds end{};
};

struct JobCourse {
  std::vector<Attempt> attempts{};
  std::vector<Stall> stalls{};
  bool is_complete = false;  // all steps are trained and kept
  bool never_ends = false;   // more attempts than anybody would wait for came to nothing
  Seconds end{};             // of the last process
  Seconds time_of_steps{};   // that are kept
  Seconds undisturbed{};     // the end of the same training if nothing failed
  // From a failure until the training is again where it was: the processes end, start, and train lost steps. The mean
  // over all failures after which that happened; unset: none.
  std::optional<Seconds> time_to_recover{};
  std::int64_t restarts() const { return std::ssize(attempts) - 1; }
  std::int64_t lost_steps() const;
  double goodput() const { return end > Seconds(0) ? time_of_steps / end : 1; }
};

struct CourseOptions {
  std::int64_t seed = 0;
  std::int64_t first = 0;     // the step that the training begins with, if it continues a checkpoint
  std::int64_t restarts = 0;  // how often somebody starts the job again
  Seconds restart{};          // from the end of its processes to the next step
  // How the processes end if this fails while a step is trained that began at `begin`.
  std::function<LostWorker(const Failure&, std::int64_t step, Seconds begin)> ending{};
  // The network of a task may carry nothing for so long before the others give the task up.
  Seconds patience{};
  // Which failures the training survives by itself: those of workers that take closures from a queue. If it is started
  // again after another failure, it waits until the machines of these workers can be used, too.
  std::function<bool(const Failure&)> is_survived{};
  // A preempted process has all processes save the state, which takes so long. Unset: they save nothing then.
  std::optional<Seconds> save_before_preemption{};
  // They train on for so long after the notice, and save once more. 0: they end with the first save.
  Seconds grace_period{};
  // The batches that an attempt reads a second time if it begins with this step. Unset: none.
  std::function<std::int64_t(std::int64_t first)> read_twice{};
  // The step that a restart begins with, if so many steps were saved: another one where an epoch is begun anew.
  std::function<std::int64_t(std::int64_t saved)> resumed{};
};

JobCourse course_of(const Undisturbed& job, const Faults& faults, const CourseOptions& options);

}  // namespace wt::timing
