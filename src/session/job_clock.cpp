#include "session/job_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rough.h"
#include "scenario/expenses.h"
#include "session/evaluator.h"

namespace wt::session {

JobClock::JobClock(const scenario::Scenario& scenario, const scenario::Job& job, TrainingClock& clock)
    : scenario_(scenario),
      job_(job),
      clock_(clock),
      steps_(scenario::steps_of(scenario, job)),
      epochs_(scenario::epochs_of(scenario)),
      starts_anew_(scenario::starts_anew(scenario, job)),
      partial_rows_(job.step_rows.back() == job.global_batch ? 0 : job.step_rows.back()) {}

// ---- Steps

// The last batch of each pass through the dataset is partial.
std::int64_t JobClock::partial_steps(std::int64_t begin, std::int64_t end) const {
  if (partial_rows_ == 0) return 0;
  if (!starts_anew_) return end == steps_ ? 1 : 0;
  const std::int64_t batches = job_.steps_of_dataset;
  return end / batches - begin / batches;
}

void JobClock::add_steps(timing::JobFacts& facts) {
  const timing::Phases& phases = clock_.phases();
  std::int64_t whole = 0;
  for (std::size_t phase = 0; phase < phases.size() && phases[phase].from_step < steps_; ++phase) {
    const std::int64_t begin = phases[phase].from_step;
    const std::int64_t end = phase < phases.last() ? std::min(steps_, phases[phase + 1].from_step) : steps_;
    const std::int64_t partial = partial_steps(begin, end);
    whole += end - begin - partial;
    const auto add = [&](std::int64_t count, std::int64_t rows, bool is_given,
                         std::vector<timing::EqualSteps>& steps) {
      if (count == 0) return;
      const Seconds each = is_given ? Seconds(0) : clock_.step_in_phase(rows, phase).summary.each_step();
      steps.push_back({count, each});
    };
    add(end - begin - partial, job_.global_batch, facts.given.step.has_value(), facts.whole);
    add(partial, partial_rows_, facts.given.partial_step.has_value(), facts.partial);
  }
  facts.samples = static_cast<double>(whole) * static_cast<double>(job_.global_batch) +
                  static_cast<double>(steps_ - whole) * static_cast<double>(partial_rows_);
}

// While a buffer drains at the end of a pass, nothing is read: those rows were read when it was filled. Steps
// that the input bounds are faster then.
void JobClock::add_drained_steps(timing::JobFacts& facts) {
  const std::optional<timing::RowsPipeline>& pipeline = clock_.step().summary.pipeline;
  if (!has_buffer() || facts.given.step || facts.whole.empty() || !pipeline || !pipeline->is_bound) return;
  const double whole_passes = std::floor(passes()), begun = passes() - whole_passes;
  const double rows = (whole_passes * buffered() + std::max(0.0, begun - (1 - buffered()))) *
                      static_cast<double>(job_.rows_of_pass);
  timing::EqualSteps& last = facts.whole.back();
  const auto drained = std::min<std::int64_t>(
      last.count, static_cast<std::int64_t>(rows / static_cast<double>(job_.global_batch)));
  last.count -= drained;
  facts.whole.push_back({drained, clock_.step_without_reading()});
}

// What it adds to a training of closures that workers are lost and others execute their closures. Where only the first
// closures were played, random losses go on at their rate.
timing::Event JobClock::lost_workers() {
  const std::optional<timing::PoolTime>& pool = clock_.step().summary.pool;
  if (!pool || !pool->losses || pool->losses->losses + pool->losses->stalls == 0) return {};
  const timing::PoolLosses& losses = *pool->losses;
  const auto count = static_cast<double>(losses.losses + losses.stalls);
  timing::Event event{.each =
                          std::max(Seconds(0), losses.end - losses.undisturbed.value_or(losses.end)) / count};
  const bool goes_on = !job_.faults.random.empty() && losses.closures < steps_;
  event.count = std::llround(
      goes_on ? count * static_cast<double>(steps_) / static_cast<double>(losses.closures) : count);
  event.note = fmt::format("{} cut off and executed again", counted(losses.executions, "execution"));
  if (losses.closures < steps_)
    event.note += fmt::format(" in the first {}", counted(losses.closures, "closure"));
  return event;
}

timing::Event JobClock::first_values() {
  if (scenario_.job && scenario_.job->first_values) return {.count = 1};
  const std::optional<Seconds> time = clock_.first_values();
  return time ? timing::Event{.count = 1, .each = time} : timing::Event{};
}

// ---- Input

double JobClock::passes() const {
  if (starts_anew_) {
    const double each = static_cast<double>(std::max<std::int64_t>(1, scenario_.dataset.repeat));
    return static_cast<double>(epochs_) * each;
  }
  return static_cast<double>(steps_) * static_cast<double>(job_.global_batch) /
         static_cast<double>(job_.rows_of_pass);
}

// With the sharding policy DATA each host reads all rows, and else its own ones (TrainingClock's pipeline).
double JobClock::rows_of_host() const {
  const bool reads_all = scenario_.dataset.autoshard == data::AutoShardPolicy::data;
  return static_cast<double>(job_.rows_of_pass) / static_cast<double>(reads_all ? 1 : job_.machine.tasks);
}

double JobClock::buffered() const {
  const auto& buffer = scenario_.dataset.shuffle->buffer;
  return buffer ? std::min(1.0, static_cast<double>(*buffer) / rows_of_host()) : 1.0;
}

timing::Event JobClock::fills() const {
  if (!has_buffer()) return {};
  timing::Event fills{.count = static_cast<std::int64_t>(std::ceil(passes()))};
  const auto rows = static_cast<std::int64_t>(std::ceil(buffered() * rows_of_host()));
  fills.each = clock_.reading(rows);
  fills.note =
      !fills.each ? "\"input\" is not described" : fmt::format("{} of each host", counted(rows, "row"));
  return fills;
}

timing::Event JobClock::first_input() {
  timing::Event input{.count = starts_anew_ ? epochs_ : 1};
  if (!clock_.reading(1)) {
    input.note = "\"input\" is not described";
    return input;
  }
  if (has_buffer() && buffered() == 1) {
    input.each = Seconds(0);
    input.note = "the rows lie in the shuffle buffer";
    return input;
  }
  const timing::Simulated& step = clock_.step().summary;
  input.each = step.course ? std::max(Seconds(0), step.course->first - step.step) : Seconds(0);
  return input;
}

// ---- Evaluations and checkpoints

timing::Event JobClock::evaluations() {
  const auto& evaluation = scenario_.training.evaluation;
  if (!evaluation || evaluates_beside(scenario_, job_)) return {};
  const bool is_once = evaluation->from_checkpoint || !evaluation->every;
  timing::Event event{.count = is_once ? 1 : epochs_ / *evaluation->every};
  if (event.count == 0 || (scenario_.job && scenario_.job->evaluation)) return event;
  event.each = clock_.evaluation();
  const std::int64_t batch = job_.global_batch;
  event.note = event.each ? fmt::format("{} in {}", counted(job_.evaluated_rows, "row"),
                                        counted((job_.evaluated_rows + batch - 1) / batch, "step"))
                          : "a step of it does not fit into memory";
  return event;
}

// Of the training's own checkpoints, the end is always one (session/saved_state.cpp). Requires: the steps are known.
void JobClock::add_checkpoints(timing::JobFacts& facts) {
  if (scenario_.training.is_inference()) return;
  timing::Event& event = facts.checkpoints;
  event.count = scenario::saves_in(scenario_.training, epochs_, steps_);
  if (event.count == 0) return;
  const Saving saving = saving_of(scenario_, job_, clock_);
  event.each = saving.waits;
  if (scenario_.job && scenario_.job->storage)
    event.note =
        fmt::format("{} with {}", rough(clock_.size_of_checkpoint()), rough(*scenario_.job->storage));
  if (saving.written == Seconds(0)) return;
  facts.written = saving.written;
  *event.each += lost_beside(saving, event.count);
  event.note += fmt::format("{}written in {} while the training goes on", event.note.empty() ? "" : ", ",
                            rough(saving.written));
}

// Of each checkpoint that is written beside the training: by how much steps are slower meanwhile, the next checkpoint's
// wait for it.
Seconds JobClock::lost_beside(const Saving& saving, std::int64_t checkpoints) {
  const auto count = static_cast<double>(checkpoints);
  const Seconds step = scenario_.job->step.value_or(clock_.step().summary.each_step());
  const double between = static_cast<double>(steps_) / count;
  const Seconds beside = saving.step_beside(step);
  const double slow = std::min(between, std::ceil(saving.written / beside));
  const Seconds interval = step * between + (beside - step) * slow;
  const Seconds wait = std::max(Seconds(0), saving.written - interval);
  return ((beside - step) * slow + wait) * ((count - 1) / count);
}

// ---- Functions

// A function is traced again for a tensor of another shape (tensorflow.org/guide/function). Keras' fit traces an
// iterator, whose batches may have any number of rows. Each counts as a training step, also an evaluation, which is
// shorter.
timing::Event JobClock::functions() {
  const bool is_custom = scenario_.training.loop == scenario::Loop::custom;
  timing::Event functions{
      .count = (is_custom ? std::ssize(job_.step_rows) : 1) +
               (scenario_.training.evaluation && !evaluates_beside(scenario_, job_) ? 1 : 0),
      .each = clock_.tracing(),
      .basis = timing::Basis::estimated};
  if (functions.each > Seconds(0))
    functions.note = "by operations and replicas of a process, as TensorFlow took on a 2-core machine";
  return functions;
}

std::int64_t JobClock::programs() const {
  std::int64_t programs = std::ssize(job_.step_rows);
  if (job_.evaluated_rows >= job_.global_batch) ++programs;
  if (job_.evaluated_rows % job_.global_batch > 0) ++programs;
  return programs;
}

timing::JobTime JobClock::time() {
  timing::JobFacts facts{.given = scenario_.job.value_or(timing::GivenTimes{}),
                         .first_values = first_values(),
                         .functions = functions(),
                         .compile = scenario_.time.compile,
                         .lost_workers = lost_workers(),
                         .fills = fills(),
                         .first_input = first_input(),
                         .evaluations = evaluations(),
                         .machines = scenario::machines_in_use(job_.machine),
                         .devices = job_.machine.all_replicas() * job_.machine.devices_of_each(),
                         .are_gpus = job_.machine.device().name.kind == device::Kind::gpu,
                         .seed = scenario_.seed,
                         .failures_at = scenario_.place("job.time_between_failures")};
  if (scenario_.strategy->compiles_steps()) facts.programs = programs();
  if (!scenario_.training.steps)
    facts.epochs = static_cast<double>(epochs_);
  else if (const std::int64_t batches = job_.steps_of_dataset; batches > 0)
    facts.epochs = static_cast<double>(steps_) / static_cast<double>(batches);
  add_steps(facts);
  add_drained_steps(facts);
  add_checkpoints(facts);
  return timing::job_time(facts);
}

}  // namespace wt::session
