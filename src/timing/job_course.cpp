#include "timing/job_course.h"

#include <algorithm>
#include <utility>

#include "timing/failures.h"

namespace wt::timing {

namespace {

// A training that fails more often than this comes to nothing.
constexpr std::int64_t most_attempts = 100'000;

class CoursePlayer {
 public:
  CoursePlayer(const Undisturbed& job, const Faults& faults, const CourseOptions& options)
      : job_(job), options_(options), timed_(faults, options.seed) {
    for (const Failure& failure : faults.failures)
      if (!failure.time) stepped_.push_back(failure);
    std::ranges::stable_sort(stepped_, {}, &Failure::step);
    course_.undisturbed = job.end() - job.begin_of(options.first);
    course_.time_of_steps = std::min(job.time_of_steps(), course_.undisturbed);
  }

  JobCourse play() && {
    std::int64_t first = options_.first;
    saved_ = first;
    Seconds begin{};
    while (!play_attempt(first, begin)) {
      const Attempt& last = course_.attempts.back();
      course_.end = last.lost->end;
      if (course_.restarts() == options_.restarts) return std::move(course_);
      if (course_.restarts() == most_attempts) {
        course_.never_ends = true;
        return std::move(course_);
      }
      first = last.kept;
      begin = ready_after(last) + options_.restart;
    }
    course_.is_complete = true;
    return std::move(course_);
  }

 private:
  // When all machines can be used again. What else fails while the processes end ends nothing more.
  Seconds ready_after(const Attempt& attempt) {
    for (; timed_.next() != nullptr && *timed_.next()->time < attempt.lost->end; timed_.take())
      wait_for_machine(*timed_.next(), *timed_.next()->time);
    return std::max({attempt.lost->end, attempt.stop + attempt.failure->back_after, machines_ready_});
  }
  void wait_for_machine(const Failure& failure, Seconds time) {
    machines_ready_ = std::max(machines_ready_, time + failure.grace + failure.back_after);
  }

  // True: it comes to the training's end.
  bool play_attempt(std::int64_t first, Seconds begin) {
    Attempt attempt{
        .begin = begin, .first = first, .applied_twice = std::max<std::int64_t>(0, saved_ - first)};
    if (options_.read_twice && !course_.attempts.empty()) attempt.read_twice = options_.read_twice(first);
    shift_ = begin - job_.begin_of(first);
    for (;;) {
      const Coming coming = next_failure(first);
      if (coming.failure == nullptr || coming.time >= job_.end() + shift_) {
        attempt.stop = course_.end = job_.end() + shift_;
        attempt.end = attempt.kept = job_.steps();
        add(std::move(attempt));
        return true;
      }
      const Failure failure = *coming.failure;
      take(coming);
      if (options_.is_survived && options_.is_survived(failure))
        wait_for_machine(failure, coming.time);
      else if (failure.kind == FailureKind::cut && failure.back_after < options_.patience)
        stall(failure, coming.time);
      else
        return end(std::move(attempt), failure, coming.time);
    }
  }

  struct Coming {
    const Failure* failure = nullptr;
    Seconds time{};
    bool has_step = false;
  };

  // Failures before steps that are kept have passed. A process that is not there yet can't be lost before a step, but
  // at any time.
  Coming next_failure(std::int64_t first) {
    while (!stepped_.empty() && stepped_.front().step < first) stepped_.erase(stepped_.begin());
    Coming coming;
    if (!stepped_.empty()) coming = {&stepped_.front(), job_.begin_of(stepped_.front().step) + shift_, true};
    if (const Failure* failure = timed_.next(); failure && (!coming.failure || *failure->time < coming.time))
      coming = {failure, *failure->time, false};
    return coming;
  }

  void take(const Coming& coming) {
    if (coming.has_step)
      stepped_.erase(stepped_.begin());
    else
      timed_.take();
  }

  // All wait for the task that is cut off, and everything happens so much later. Of stalls that overlap, a later one adds
  // what it lasts longer.
  void stall(const Failure& failure, Seconds time) {
    const Seconds waited = course_.stalls.empty() ? time : std::max(time, course_.stalls.back().end);
    const Seconds end = time + failure.back_after;
    if (end <= waited) return;
    course_.stalls.push_back({failure, waited, end});
    shift_ += end - waited;
  }

  bool end(Attempt attempt, const Failure& failure, Seconds time) {
    attempt.failure = failure;
    attempt.stop = std::max(time, attempt.begin);
    const Undisturbed::Position at = position(failure, attempt.stop - shift_, attempt.first);
    attempt.end = at.steps;
    saved_ = std::max(saved_, at.saved.value_or(saved_));
    attempt.saved = saved_;
    const Seconds began = time < attempt.begin ? time : job_.begin_of(at.steps) + shift_;
    // A process that is lost while it starts has done nothing.
    if (time < attempt.begin) attempt.begin = attempt.stop = time;
    if (failure.kind == FailureKind::preempted) save_in_time(attempt, failure);
    attempt.lost = options_.ending(failure, attempt.end,
                                   attempt.saved_on_notice ? attempt.stop : std::min(began, attempt.stop));
    if (attempt.is_saved_in_time) attempt.lost->end = attempt.stop;
    attempt.lost->end = std::max(attempt.lost->end, attempt.stop);
    attempt.kept = options_.resumed ? options_.resumed(saved_) : saved_;
    add(std::move(attempt));
    return false;
  }

  void add(Attempt attempt) {
    for (const Attempt& failed : std::exchange(not_recovered_, {})) {
      if (failed.end > attempt.end) {
        not_recovered_.push_back(failed);
        continue;
      }
      recovering_ += std::max(job_.begin_of(failed.end) + shift_, attempt.begin) - failed.stop;
      ++recovered_;
      course_.time_to_recover = recovering_ / static_cast<double>(recovered_);
    }
    if (attempt.failure) not_recovered_.push_back(attempt);
    course_.attempts.push_back(std::move(attempt));
  }

  Undisturbed::Position position(const Failure& failure, Seconds time, std::int64_t first) const {
    if (!failure.time) return {failure.step, job_.saved_before(failure.step)};
    Undisturbed::Position at = job_.at(time);
    at.steps = std::max(at.steps, first);
    return at;
  }

  // All processes save and end, if the grace period is long enough. The process that got the notice proposes, at the start of
  // its next step, to save after that step, so that all processes do the same (PreemptionCheckpointHandler,
  // failure_handling.py of TensorFlow 2.15 and 2.21): the step that is under way and one more are trained.
  void save_in_time(Attempt& attempt, const Failure& failure) {
    if (!options_.save_before_preemption || attempt.end >= job_.steps()) return;
    const Seconds notice = attempt.stop, killed = notice + failure.grace;
    const std::int64_t steps = std::min(attempt.end + (failure.time ? 2 : 1), job_.steps());
    if (!save_after(steps, shift_, killed, attempt)) return;
    if (options_.grace_period > Seconds(0) && steps < job_.steps()) train_on(attempt, notice, killed);
  }

  // Returns false if the process is killed before the state is saved.
  bool save_after(std::int64_t steps, Seconds shift, Seconds killed, Attempt& attempt) {
    const Seconds step_ends = job_.begin_of(steps - 1) + job_.length_of(steps - 1) + shift;
    const Seconds saved = std::max(step_ends, attempt.stop) + *options_.save_before_preemption;
    if (saved > killed) return false;
    attempt.stop = saved;
    attempt.end = attempt.saved = saved_ = steps;
    attempt.is_saved_in_time = true;
    return true;
  }

  // With a grace period of its own (TerminationConfig), the handler proposes to save once more at the start of the
  // first step that begins later than six steps before the period's end (_target_time_for_termination).
  void train_on(Attempt& attempt, Seconds notice, Seconds killed) {
    const std::int64_t first = attempt.end;
    attempt.saved_on_notice = first;
    const Seconds shift = attempt.stop - job_.begin_of(first);
    const Seconds almost = notice + options_.grace_period - job_.length_of(first) * 6.0 - shift;
    std::int64_t last = std::max(first, job_.at(almost).steps);
    if (last < job_.steps() && job_.begin_of(last) < almost) ++last;
    if (save_after(std::min(last + 1, job_.steps()), shift, killed, attempt)) return;
    const Undisturbed::Position at = job_.at(killed - shift);
    attempt.stop = killed;
    attempt.end = std::max(first, at.steps);
    attempt.saved = saved_ = std::max(saved_, at.saved.value_or(saved_));
    attempt.is_saved_in_time = false;
  }

  const Undisturbed& job_;
  const CourseOptions& options_;
  Failures timed_;
  std::vector<Failure> stepped_{};        // that come before a step, in this order
  std::int64_t saved_ = 0;                // steps in the newest save
  Seconds machines_ready_{};              // of failures that ended no attempt
  Seconds shift_{};                       // of the attempt: its dates less those of the undisturbed training
  std::vector<Attempt> not_recovered_{};  // which no later attempt has caught up with
  Seconds recovering_{};                  // the times of all recoveries
  std::int64_t recovered_ = 0;
  JobCourse course_{};
};

}  // namespace

std::int64_t JobCourse::lost_steps() const {
  std::int64_t lost = 0;
  for (const Attempt& attempt : attempts) lost += attempt.lost_steps();
  return lost;
}

JobCourse course_of(const Undisturbed& job, const Faults& faults, const CourseOptions& options) {
  return CoursePlayer(job, faults, options).play();
}

}  // namespace wt::timing
