#include "session/training.h"

#include <algorithm>
#include <utility>

#include "session/course.h"

// A training from its first attempt to its last: what each begins with, where it ends, and what is forgotten with it.

namespace wt::session {

void Training::train(session::Results& results, OutputFolder& folder) {
  plans_.state().preset(job_.initial_weights);
  done_ = saved_.restore(options_.note);
  origin_ = done_.steps;
  train_attempt(0, results, folder);
  if (!results.course) return;
  for (std::size_t i = 1; i < results.course->attempts.size(); ++i) {
    if (results.interrupted || results.stopped) return;
    const timing::Attempt& attempt = results.course->attempts[i];
    forget_steps_from(attempt.first, results);
    if (attempt.end == attempt.first && attempt.failure) continue;  // it was lost while it started
    // A new process, which knows nothing but what the earlier ones have saved.
    plans_.state().take_back();
    Training again(scenario_, scenario::build(scenario_), options_);
    again.resume(i, results, folder);
  }
}

void Training::resume(std::size_t attempt, session::Results& results, OutputFolder& folder) {
  is_restarted_ = true;
  epoch_begin_ = results.course->attempts[attempt].begin;
  origin_ = results.course->attempts.front().first;
  std::int64_t trained = 0;
  for (std::size_t i = 0; i < attempt; ++i) trained = std::max(trained, results.course->attempts[i].end);
  clock_.pass_failures_before(trained);
  plans_.state().preset(job_.initial_weights);
  // BackupAndRestore brings the state back itself.
  done_ = scenario::backup_of(scenario_.training) != nullptr ? saved_.restore(options_.note)
                                                             : saved_.restore_own(folder, options_.note);
  train_attempt(attempt, results, folder);
}

void Training::train_attempt(std::size_t attempt, session::Results& results, OutputFolder& folder) {
  attempt_ = attempt;
  callbacks_.emplace(scenario_.training.callbacks, callback_context(results, folder));
  if (const std::optional<train::Progress> backup = callbacks_->begin()) continue_from(*backup);
  if (is_restarted_)
    WT_EXPECT(done_.steps == results.course->attempts[attempt].first,
              "attempt {} begins with step {}, and not with {}", attempt + 1, done_.steps,
              results.course->attempts[attempt].first);
  if (!is_restarted_) printed_.begin(results.planned);
  if (!is_restarted_ && options_.on_begin) options_.on_begin();
  epochs_played_ = done_.epochs;
  plans_.model().fit(*job_.batches, fit_options(results, folder));
  if (results.interrupted) return;
  if (results.stopped) results.lost.reset();  // the training ends before something fails
  if (results.course && !results.stopped && results.course->attempts[attempt].failure)
    return end_attempt(results.course->attempts[attempt], results, folder);
  if (results.last_step()) return;
  callbacks_->end();
  if (results.stopped) finish_stopped(results, folder);
  if (const auto& evaluation = scenario_.training.evaluation; evaluation && !beside_) {
    if (evaluation->from_checkpoint)
      results.evaluation = evaluate_checkpoint(results, folder);
    else if (!evaluation->every)
      results.evaluation = evaluate(evaluator_, results);
  }
  if (!results.interrupted) printed_.end(results);
  saved_.save_weights(folder);
}

void Training::end_attempt(const timing::Attempt& attempt, session::Results& results, OutputFolder& folder) {
  WT_EXPECT(steps_done(results) == attempt.end, "attempt {} ended after {} steps, and was to end after {}",
            attempt_ + 1, steps_done(results), attempt.end);
  if (!attempt.is_saved_in_time) return;
  callbacks_->preempt();
  if (scenario_.training.checkpointing && scenario_.training.checkpointing->before_preemption)
    saved_.save_last(progress_of(results), folder);
}

// What was trained after the state was saved with which the next attempt begins, is not in it.
void Training::forget_steps_from(std::int64_t first, session::Results& results) {
  const auto lost = std::ranges::find_if(results.steps, [&](const auto& step) { return step.step >= first; });
  if (lost == results.steps.end()) return;
  std::erase_if(results.epochs,
                [&](const session::Epoch& epoch) { return epoch.training.epoch >= lost->epoch; });
  results.steps.erase(lost, results.steps.end());
}

// The attempt ends before the state is saved, or written, after the step that is done now.
bool Training::is_cut_off(const session::Results& results) const {
  if (!results.course) return false;
  const timing::Attempt& attempt = results.course->attempts[attempt_];
  return attempt.failure && steps_done(results) > attempt.saved;
}

// A process got the notice of its preemption, and the training goes on through the grace period.
bool Training::is_saved_on_notice(const session::Results& results) const {
  return results.course && results.course->attempts[attempt_].saved_on_notice == steps_done(results);
}

std::int64_t Training::steps_done(const session::Results& results) const {
  return origin_ + std::ssize(results.steps);
}

// Of this attempt; unset: it comes to the training's end.
std::optional<std::int64_t> Training::last_step(const session::Results& results) const {
  if (!results.course) return results.last_step();
  const timing::Attempt& attempt = results.course->attempts[attempt_];
  return attempt.failure ? std::optional(attempt.end) : results.last_step();
}

}  // namespace wt::session
