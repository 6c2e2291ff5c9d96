#include "session/worker_losses.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/narrow.h"
#include "session/health_check.h"
#include "timing/failures.h"

namespace wt::session {

namespace {

bool is_of_worker(const timing::Failure& failure) { return failure.victim == timing::Victim::worker; }

// From the moment when a machine can be used again until its worker executes closures.
Seconds restart_of_worker(const scenario::Scenario& scenario) {
  return scenario.job && scenario.job->restart ? *scenario.job->restart : Seconds(0);
}

std::int32_t clamped(std::int64_t closure) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(closure, 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

WorkerLosses::WorkerLosses(const scenario::Scenario& scenario, const scenario::Job& job)
    : scenario_(scenario), job_(job) {
  if (!job.machine.pool) return;
  std::ranges::copy_if(job.faults.failures, std::back_inserter(scripted_), is_of_worker);
  // All of them, so that these are the draws of timing/job_course.h, which plays the other ones.
  if (std::ranges::any_of(job.faults.random, [](const timing::RandomFailures& random) {
        return std::ranges::any_of(random.parts, is_of_worker);
      }))
    random_ = job.faults.random;
}

// A network that carries bytes again has its worker behind it. A process that has ended is started again only if the
// job has restarts.
std::optional<Seconds> WorkerLosses::time_until_back(const timing::Failure& failure) const {
  if (failure.kind == timing::FailureKind::cut) return failure.back_after;
  const bool is_started_again = scenario_.job && scenario_.job->restarts.value_or(0) > 0;
  if (!is_started_again) return std::nullopt;
  return failure.back_after + restart_of_worker(scenario_);
}

// A preempted process goes on training until its grace period is over. A network that is cut for a moment only keeps its
// worker waiting, as in the other strategies.
timing::WorkerLoss WorkerLosses::loss_of(const timing::Failure& failure) const {
  const Seconds patience = timing::patience_of(health_check_of(scenario_.semantics));
  return {.worker = narrow<std::int32_t>(failure.task),
          .grace = failure.grace,
          .back_after = time_until_back(failure),
          .is_stall = failure.kind == timing::FailureKind::cut && failure.back_after < patience};
}

void WorkerLosses::add_to(timing::PoolOptions& pool, Seconds begin, std::int64_t completed) const {
  pool.slow.clear();
  for (const timing::Slowed& slowed : job_.faults.slowed)
    for (const std::size_t worker : slowed.replicas)
      pool.slow.push_back({.worker = narrow<std::int32_t>(worker),
                           .from = clamped(slowed.steps.from - completed),
                           .until = slowed.steps.until ? clamped(*slowed.steps.until - completed)
                                                       : std::numeric_limits<std::int32_t>::max(),
                           .factor = slowed.factor});
  pool.losses.clear();
  pool.carried_losses = 0;
  for (const plan::Absence& away : away_) {
    timing::WorkerLoss loss{
        .worker = away.worker, .time = std::max(Seconds(0), away.from - begin), .is_stall = away.is_stall};
    if (away.until) loss.back_after = *away.until - begin - *loss.time;
    pool.losses.push_back(loss);
    pool.carried_losses += away.is_stall ? 0 : 1;
  }
  for (const timing::Failure& failure : scripted_) {
    if (!failure.time && failure.step < passed_) continue;
    timing::WorkerLoss loss = loss_of(failure);
    loss.closures = failure.step - completed;
    if (failure.time) loss.time = *failure.time + std::exchange(loss.grace, Seconds(0)) - begin;
    const bool comes_here =
        loss.time ? *loss.time >= Seconds(0) : loss.closures >= 0 && loss.closures < pool.closures;
    if (comes_here) pool.losses.push_back(loss);
  }
  if (!random_.empty())
    pool.random_losses = [losses = *this, begin](Seconds end) { return losses.drawn_losses(begin, end); };
}

// The draws are the same each time, so those of later epochs go on where the earlier ones ended.
std::vector<timing::WorkerLoss> WorkerLosses::drawn_losses(Seconds begin, Seconds end) const {
  const timing::Faults faults{.random = random_};
  timing::Failures failures(faults, scenario_.seed);
  std::vector<timing::WorkerLoss> losses;
  for (; *failures.next()->time < begin + end; failures.take()) {
    const timing::Failure& failure = *failures.next();
    if (*failure.time < begin || !is_of_worker(failure)) continue;
    losses.push_back(loss_of(failure));
    losses.back().time = *failure.time - begin;
  }
  return losses;
}

// Losses at times come first among the absences. Those behind the end come in a later pool by themselves, and a loss
// after so many closures only if its grace period reaches that far.
void WorkerLosses::note_absences(const timing::PoolOptions& pool, const plan::PoolTimeline& timeline,
                                 Seconds begin) {
  const auto timed = std::ranges::count_if(
      pool.losses, [](const timing::WorkerLoss& loss) { return loss.time.has_value(); });
  away_.clear();
  for (std::ptrdiff_t i = 0; i < std::ssize(timeline.absences); ++i) {
    plan::Absence absence = timeline.absences[static_cast<std::size_t>(i)];
    const bool has_ended = absence.until && *absence.until <= timeline.end;
    const bool comes_by_itself = absence.from >= timeline.end && i < timed;
    if (has_ended || comes_by_itself) continue;
    absence.from += begin;
    if (absence.until) *absence.until += begin;
    away_.push_back(absence);
  }
}

}  // namespace wt::session
