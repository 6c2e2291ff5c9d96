#include "session/course.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "session/evaluator.h"
#include "session/health_check.h"
#include "session/job_clock.h"
#include "session/saving.h"

namespace wt::session {

namespace {

// Walks through a training from mark to mark: between two of them all steps are equal.
class Walk {
 public:
  Walk(const scenario::Scenario& scenario, const scenario::Job& job, TrainingClock& clock)
      : scenario_(scenario),
        job_(job),
        clock_(clock),
        steps_(scenario::steps_of(scenario, job)),
        epochs_(scenario::epochs_of(scenario)),
        epoch_(scenario.training.steps ? steps_ : scenario::steps_per_epoch(scenario, job)),
        partial_rows_(job.step_rows.back() == job.global_batch ? 0 : job.step_rows.back()),
        backup_(scenario::backup_of(scenario.training)),
        saving_(saving_of(scenario, job, clock)),
        evaluation_(evaluation_time()) {}

  timing::Undisturbed walk() && {
    for (std::int64_t step = 0; step < steps_;) {
      const std::int64_t next = next_mark(step);
      const Seconds each = time_of(step);
      line_.add_steps(next - step, each, saving_.step_beside(each));
      step = next;
      if (step % epoch_ == 0 && evaluates_after(step / epoch_)) line_.add_pause(evaluation_);
      if (is_saved(step)) line_.add_save(saving_.waits.value_or(Seconds(0)), saving_.written);
    }
    line_.finish();
    return std::move(line_);
  }

 private:
  std::int64_t next_mark(std::int64_t step) const {
    std::int64_t next = steps_;
    const auto at_multiple = [&](std::int64_t of) {
      if (of > 0) next = std::min(next, (step / of + 1) * of);
    };
    at_multiple(epoch_);
    if (const auto& saving = scenario_.training.checkpointing; saving && saving->every_steps && !backup_)
      at_multiple(*saving->every_steps);
    if (backup_ && backup_->save_freq) at_multiple(*backup_->save_freq);
    if (partial_rows_ > 0) next = std::min(next, is_partial(step) ? step + 1 : next_partial(step));
    const timing::Phases& phases = clock_.phases();
    if (const std::size_t phase = phases.at(step); phase < phases.last())
      next = std::min(next, phases[phase + 1].from_step);
    return next;
  }

  // The last batch of each pass through the dataset is partial, or that of the training's only pass.
  bool is_partial(std::int64_t step) const {
    if (partial_rows_ == 0) return false;
    return starts_anew() ? (step + 1) % job_.steps_of_dataset == 0 : step + 1 == steps_;
  }
  std::int64_t next_partial(std::int64_t step) const {
    return starts_anew() ? (step / job_.steps_of_dataset + 1) * job_.steps_of_dataset - 1 : steps_ - 1;
  }
  bool starts_anew() const { return scenario::starts_anew(scenario_, job_); }

  Seconds time_of(std::int64_t step) const {
    const auto& given = scenario_.job;
    if (is_partial(step)) {
      if (given && given->partial_step) return *given->partial_step;
      return clock_.step(partial_rows_, step).summary.each_step();
    }
    if (given && given->step) return *given->step;
    return clock_.step(job_.global_batch, step).summary.each_step();
  }

  Seconds evaluation_time() const {
    if (!scenario_.training.evaluation || evaluates_beside(scenario_, job_)) return {};
    if (scenario_.job && scenario_.job->evaluation) return *scenario_.job->evaluation;
    return clock_.evaluation().value_or(Seconds(0));
  }

  bool evaluates_after(std::int64_t epochs) const {
    const auto& evaluation = scenario_.training.evaluation;
    if (!evaluation || evaluates_beside(scenario_, job_)) return false;
    if (evaluation->from_checkpoint || !evaluation->every) return epochs == epochs_;
    return epochs % *evaluation->every == 0;
  }

  bool is_saved(std::int64_t step) const {
    if (backup_) return backup_->save_freq ? step % *backup_->save_freq == 0 : step % epoch_ == 0;
    const auto& saving = scenario_.training.checkpointing;
    if (!saving) return false;
    if (saving->every_steps && step % *saving->every_steps == 0) return true;
    return step % epoch_ == 0 && scenario::saves_after(*saving, step / epoch_, epochs_);
  }

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingClock& clock_;
  const std::int64_t steps_, epochs_;
  const std::int64_t epoch_;         // its steps
  const std::int64_t partial_rows_;  // 0: all batches are whole
  const train::BackupAndRestore* const backup_;
  const Saving saving_;
  const Seconds evaluation_;
  timing::Undisturbed line_{};
};

// Whether an epoch is begun anew in which BackupAndRestore has saved.
bool begins_epochs_anew(const scenario::Scenario& scenario) {
  const train::BackupAndRestore* backup = scenario::backup_of(scenario.training);
  return backup != nullptr && backup->save_freq && scenario.semantics == model::Semantics::keras3;
}

}  // namespace

bool rereads_epochs(const scenario::Scenario& scenario) {
  const train::BackupAndRestore* backup = scenario::backup_of(scenario.training);
  return backup != nullptr && backup->save_freq && scenario.semantics != model::Semantics::keras3;
}

timing::Undisturbed undisturbed(const scenario::Scenario& scenario, const scenario::Job& job,
                                TrainingClock& clock) {
  return Walk(scenario, job, clock).walk();
}

timing::JobCourse course_of(const scenario::Scenario& scenario, const scenario::Job& job,
                            TrainingClock& clock, std::int64_t first) {
  const timing::Undisturbed line = undisturbed(scenario, job, clock);
  timing::CourseOptions options{
      .seed = scenario.seed,
      .first = first,
      .restarts = scenario.job && scenario.job->restarts ? *scenario.job->restarts : 0,
      .ending = [&](const timing::Failure& failure, std::int64_t step,
                    Seconds begin) { return clock.lost(failure, step, begin); },
      .patience = timing::patience_of(health_check_of(scenario.semantics))};
  if (options.restarts > 0) options.restart = JobClock(scenario, job, clock).time().restart;
  if (job.machine.pool)
    options.is_survived = [](const timing::Failure& failure) {
      return failure.victim == timing::Victim::worker;
    };
  if (scenario::saves_before_preemption(scenario.training))
    options.save_before_preemption = clock.time_of_checkpoint().value_or(Seconds(0));
  if (const auto& saving = scenario.training.checkpointing; saving && saving->grace_period)
    options.grace_period = *saving->grace_period;
  if (begins_epochs_anew(scenario))
    options.resumed = [each = scenario::steps_per_epoch(scenario, job)](std::int64_t saved) {
      return saved - saved % each;
    };
  if (rereads_epochs(scenario))
    options.read_twice = [each = scenario::steps_per_epoch(scenario, job)](std::int64_t step) {
      return step % each;
    };
  return timing::course_of(line, job.faults, options);
}

void add_course(timing::JobTime& job, const timing::JobCourse& course) {
  if (course.attempts.size() < 2 && course.stalls.empty()) return;
  Seconds stalled{};
  for (const timing::Stall& stall : course.stalls) stalled += stall.end - stall.begin;
  const Seconds lost = course.end - course.undisturbed - stalled;
  job.goodput.reset();  // that of failures that are expected
  std::erase_if(job.items, [](const timing::JobItem& item) { return item.name == "expected restarts"; });
  if (course.restarts() > 0)
    job.items.push_back({.name = "restarts",
                         .key = "faults",
                         .count = static_cast<double>(course.restarts()),
                         .each = lost / static_cast<double>(course.restarts()),
                         .basis = timing::Basis::simulated,
                         .note = fmt::format("{} trained again", counted(course.lost_steps(), "step"))});
  if (!course.stalls.empty())
    job.items.push_back({.name = "stalls",
                         .key = "faults",
                         .count = static_cast<double>(course.stalls.size()),
                         .each = stalled / static_cast<double>(course.stalls.size()),
                         .basis = timing::Basis::given,
                         .note = "a network carried nothing for a time"});
}

void check_restarts(const scenario::Scenario& scenario, const scenario::Job& job) {
  if (!scenario.job || !scenario.job->restarts || !begins_epochs_anew(scenario)) return;
  const std::int64_t each = scenario::steps_per_epoch(scenario, job);
  const std::int64_t freq = *scenario::backup_of(scenario.training)->save_freq;
  if (each <= 0 || each % freq == 0) return;
  throw InputError(Problem{
      scenario.place("training.callbacks"),
      fmt::format(
          "after a restart Keras 3 begins the epoch of {} anew, and saves every {} from there on: at other "
          "steps than before",
          counted(each, "step"), counted(freq, "step")),
      "let \"save_freq\" divide the steps of an epoch, or leave it out"});
}

}  // namespace wt::session
