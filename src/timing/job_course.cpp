#include "timing/job_course.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "timing/failures.h"

namespace wt::timing {

namespace {

// A training that fails more often than this comes to nothing.
constexpr std::int64_t most_attempts = 100'000;

// The faults that the training doesn't survive by itself.
Faults that_end(const Faults& faults, const CourseOptions& options) {
  Faults ending;
  const auto ends = [&](const Failure& failure) {
    return !options.is_survived || !options.is_survived(failure);
  };
  std::ranges::copy_if(faults.failures, std::back_inserter(ending.failures), ends);
  for (const RandomFailures& random : faults.random) {
    RandomFailures some{.mean_time = random.mean_time * static_cast<double>(random.parts.size())};
    std::ranges::copy_if(random.parts, std::back_inserter(some.parts), ends);
    if (some.parts.empty()) continue;
    some.mean_time = some.mean_time / static_cast<double>(some.parts.size());
    ending.random.push_back(std::move(some));
  }
  return ending;
}

class CoursePlayer {
 public:
  CoursePlayer(const Undisturbed& job, const Faults& faults, const CourseOptions& options)
      : job_(job), options_(options), faults_(that_end(faults, options)), timed_(faults_, options.seed) {
    for (const Failure& failure : faults_.failures)
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
    Seconds ready = std::max(attempt.lost->end, attempt.stop + attempt.failure->back_after);
    for (; timed_.next() != nullptr && *timed_.next()->time < attempt.lost->end; timed_.take())
      ready = std::max(ready, *timed_.next()->time + timed_.next()->back_after);
    return ready;
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
      if (failure.kind == FailureKind::cut && failure.back_after < options_.patience)
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

  // All wait for the task that is cut off, and everything happens so much later.
  void stall(const Failure& failure, Seconds time) {
    course_.stalls.push_back({failure, time, time + failure.back_after});
    shift_ += failure.back_after;
  }

  bool end(Attempt attempt, const Failure& failure, Seconds time) {
    attempt.failure = failure;
    attempt.stop = std::max(time, attempt.begin);
    const Undisturbed::Position at = position(failure, attempt.stop - shift_, attempt.first);
    attempt.end = at.steps;
    attempt.end_is_saved = at.saved.value_or(-1) == at.steps;
    saved_ = std::max(saved_, at.saved.value_or(saved_));
    const Seconds began = time < attempt.begin ? time : job_.begin_of(at.steps) + shift_;
    // A process that is lost while it starts has done nothing.
    if (time < attempt.begin) attempt.begin = attempt.stop = time;
    if (failure.kind == FailureKind::preempted) save_in_time(attempt, failure);
    attempt.lost = options_.ending(failure, attempt.end, std::min(began, attempt.stop));
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
    const std::int64_t steps = std::min(attempt.end + (failure.time ? 2 : 1), job_.steps());
    const Seconds step_ends = job_.begin_of(steps - 1) + job_.length_of(steps - 1) + shift_;
    const Seconds saved = std::max(step_ends, attempt.stop) + *options_.save_before_preemption;
    if (saved > attempt.stop + failure.grace) return;
    attempt.stop = saved;
    attempt.end = saved_ = steps;
    attempt.end_is_saved = true;
    attempt.is_saved_in_time = true;
  }

  const Undisturbed& job_;
  const CourseOptions& options_;
  const Faults faults_;
  Failures timed_;
  std::vector<Failure> stepped_{};        // that come before a step, in this order
  std::int64_t saved_ = 0;                // steps in the newest save
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
