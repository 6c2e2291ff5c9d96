#include "session/training_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/narrow.h"
#include "communication/constants.h"
#include "session/first_values.h"
#include "session/health_check.h"
#include "session/rows_pipeline.h"
#include "session/step_options.h"
#include "strategy/place.h"
#include "timing/rows_time.h"

namespace wt::session {

namespace {

// Those of one phase of the training, in which each is as slow in all closures.
std::vector<plan::SlowWorker> slow_workers(const timing::Phase& phase) {
  std::vector<plan::SlowWorker> workers;
  for (std::size_t worker = 0; worker < phase.slow.size(); ++worker)
    if (phase.slow[worker] != 1)
      workers.push_back({.worker = narrow<std::int32_t>(worker), .factor = phase.slow[worker]});
  return workers;
}

}  // namespace

TrainingClock::TrainingClock(const scenario::Scenario& scenario, const scenario::Job& job,
                             TrainingPlans& plans, timing::SimulationOptions options)
    : losses_(scenario, job),
      scenario_(scenario),
      job_(job),
      plans_(plans),
      options_(std::move(options)),
      phases_(job.faults, job.machine.pool ? job.machine.pool->workers.size() : job.machine.replicas.size()) {
}

// ---- A step

timing::SimulationOptions TrainingClock::options_for(std::int64_t rows,
                                                     std::span<const std::int64_t> replica_rows) const {
  timing::SimulationOptions options = options_;
  options.rows = rows;
  options.is_brought_together = scenario_.strategy->meets_in_collectives();
  options.known_collectives = plans_.known_times();
  if (options.times == nullptr && !scenario_.time.compute.is_roofline())
    throw InputError(Problem{scenario_.place("time.compute"),
                             "this command takes kernel times only from the roofline",
                             R"(--set time.compute=roofline, or `run` the scenario)"});
  if (const auto& precision = scenario_.training.precision; precision && !scenario::mixed_type(precision))
    options.precision =
        *precision == scenario::Precision::tf32 ? device::Precision::tf32 : device::Precision::float32;
  if (scenario_.training.jit_compile) options.fusion = plan::Fusion::activations;
  if (scenario_.time.fusion) options.fusion = *scenario_.time.fusion;
  options.updates = updates_of(scenario_);
  options.images = scenario_.time.image_data_format;
  options.software = software_of(scenario_, job_.machine);
  if (scenario_.time.dispatch)
    options.dispatch = *scenario_.time.dispatch / static_cast<double>(scenario_.training.steps_per_execution);
  options.copies = copies_of(scenario_);
  options.has_encoded_rows = scenario_.dataset.is_encoded();
  if (const std::optional<timing::InputPipeline> pipeline = rows_pipeline(scenario_, job_)) {
    const timing::RowsTime time = timing::rows_time(*pipeline, job_.machine, replica_rows);
    options.steps.rows = time.by_task;
    options.steps.prefetch = narrow<int>(time.slowest.prefetch);
    options.pipeline = time.slowest;
  }
  return options;
}

timing::SimulationOptions TrainingClock::options_of(std::int64_t rows, std::size_t phase) {
  timing::SimulationOptions options = options_for(rows, plans_.replica_rows(rows));
  if (!job_.machine.pool) options.steps.slow = phases_[phase].slow;
  options.steps.jitter = scenario_.time.jitter;
  options.steps.seed = scenario_.seed;
  options.timeout = scenario_.strategy->collective_timeout();
  options.steps.count_at = scenario_.place("time.steps");
  if (scenario_.time.steps) options.steps.count = narrow<int>(*scenario_.time.steps);
  options.pool = pool_of(scenario_, job_.machine, plans_.of(rows), scenario::steps_of(scenario_, job_));
  if (options.pool) {
    // Those of the beginning, whatever has been played since.
    WorkerLosses(scenario_, job_).add_to(*options.pool, Seconds(0), 0);
    options.pool->slow = slow_workers(phases_[phase]);
  }
  if (job_.machine.all_replicas() == 1 && !options.pool)
    measure(options);
  else if (scenario_.time.measured_step) {
    options.scale = simulate_alone(plans_.own_rows()).simulation.scale;
    if (options.software) options.software->measured = scenario_.time.measured_step;
  }
  require_folded(plans_.of(rows));
  return options;
}

// Its links are as fast as they are in this phase. TensorFlow and NCCL have chosen their algorithms before.
cluster::Machine TrainingClock::machine_in(std::size_t phase) const {
  cluster::Machine machine = job_.machine;
  if (const auto& degraded = phases_[phase].degraded; !degraded.empty())
    machine.platform = machine.platform->with_slower_links(degraded);
  return machine;
}

const timing::Simulation& TrainingClock::simulate(std::int64_t rows, std::size_t phase) {
  const std::pair key(rows, phase);
  if (const auto known = simulations_.find(key); known != simulations_.end()) return known->second;
  const timing::SimulationOptions options = options_of(rows, phase);
  const cluster::Machine machine = machine_in(phase);
  timing::Simulation simulation = timing::simulate_step(plans_.of(rows), machine, options);
  if (job_.optimizer.accumulation > 1)
    add_accumulation(simulation, plans_.of(rows, Turn::accumulates), machine, options);
  return simulations_.emplace(key, std::move(simulation)).first->second;
}

// `plan` is that of the steps that only accumulate. The simulation is that of one that updates.
void TrainingClock::add_accumulation(timing::Simulation& simulation, const plan::Plan& plan,
                                     const cluster::Machine& machine,
                                     timing::SimulationOptions options) const {
  options.measured_step.reset();
  options.scale = simulation.scale;
  timing::Simulated& summary = simulation.summary;
  summary.accumulation = {job_.optimizer.accumulation,
                          timing::simulate_step(plan, machine, options).summary.step};
  summary.samples_per_second = static_cast<double>(options.rows) / summary.each_step().count();
}

Seconds TrainingClock::step_time(std::int64_t rows, std::int64_t number) {
  const timing::Simulated& summary = step(rows, number).summary;
  const bool updates = model::is_update_step(job_.optimizer, number);
  return updates ? summary.step : summary.accumulation->step;
}

// With jitter, epochs differ.
const timing::PlayedPool& TrainingClock::closures(std::int64_t count, std::int64_t epoch, Seconds begin,
                                                  std::int64_t completed) {
  timing::SimulationOptions options = options_of(job_.global_batch, phases_.last());
  options.pool->closures = count;
  options.pool->dispatch = dispatch_of(scenario_);
  options.pool->at_once = scenario_.training.steps_per_execution;
  losses_.add_to(*options.pool, begin, completed);
  options.steps.seed += epoch;
  options.scale = step().scale;
  played_ = timing::simulate_closures(plans_.whole(), machine_in(phases_.at(completed)), options);
  losses_.note_absences(*options.pool, played_->timeline, begin);
  return *played_;
}

// Simulates the first replica's step without communication. A scenario's measured step is that of one device
// with one replica's rows; its ratio to the roofline then scales steps with other numbers of rows.
const TrainingClock::Alone& TrainingClock::simulate_alone(std::int64_t rows) {
  if (const auto known = alone_.find(rows); known != alone_.end()) return known->second;
  timing::SimulationOptions options = options_for(rows, {&rows, 1});
  run_without_strategy(options);
  if (const std::int64_t own = plans_.own_rows(); rows == own)
    measure(options);
  else if (scenario_.time.measured_step)
    options.scale = simulate_alone(own).simulation.scale;
  cluster::Machine machine = job_.machine;
  machine.replicas.resize(1);
  machine.pool.reset();
  const std::shared_ptr<const plan::Plan> plan = plans_.alone(rows);
  Alone alone{timing::simulate_step(*plan, machine, options), !plan->out_of_memory};
  if (job_.optimizer.accumulation > 1)
    add_accumulation(alone.simulation, *plans_.alone(rows, Turn::accumulates), machine, options);
  return alone_.emplace(rows, std::move(alone)).first->second;
}

// What one device is compared with is a program without a strategy. A measured step has its software in it.
void TrainingClock::run_without_strategy(timing::SimulationOptions& options) const {
  if (!options.software) return;
  options.software->has_strategy = false;
  options.software->replicas = 1;
  if (scenario_.time.measured_step) options.software.reset();
}

void TrainingClock::measure(timing::SimulationOptions& options) const {
  if (scenario_.time.measured_step) options.software.reset();
  options.measured_step = scenario_.time.measured_step;
  options.measured_at = scenario_.place("time.measured_step");
}

// The error is thrown here and not in the lowering, because the search for the largest batch lowers plans
// that are never timed.
void TrainingClock::require_folded(const plan::Plan& plan) const {
  if (scenario_.time.collectives != scenario::Collectives::folded || plan.why_expanded.empty()) return;
  throw InputError(Problem{scenario_.place("time.collectives"),
                           fmt::format("the step can't be folded: {}", plan.why_expanded),
                           R"(use "auto", which folds what can be folded)"});
}

// ---- What a training has beside its steps

Seconds TrainingClock::step_without_reading() {
  timing::SimulationOptions options = options_of(job_.global_batch, phases_.last());
  options.steps.rows.clear();
  options.pipeline.reset();
  return timing::simulate_step(plans_.whole(), job_.machine, options).summary.step;
}

Bytes TrainingClock::size_of_checkpoint() {
  if (scenario_.job && scenario_.job->checkpoint_size) return *scenario_.job->checkpoint_size;
  return size_of_variables();
}

Bytes TrainingClock::size_of_variables() {
  const std::shared_ptr<const plan::Plan> plan = plans_.alone(plans_.own_rows());
  Bytes size;
  for (const plan::Port& variable : plan->variables) size += variable.operand.spec.bytes();
  return size;
}

std::optional<Seconds> TrainingClock::time_of_checkpoint() {
  if (!scenario_.job) return std::nullopt;
  if (scenario_.job->checkpoint) return scenario_.job->checkpoint;
  if (!scenario_.job->storage) return std::nullopt;
  return size_of_checkpoint() / *scenario_.job->storage;
}

std::optional<Seconds> TrainingClock::evaluation() {
  const std::int64_t whole = job_.evaluated_rows / job_.global_batch;
  const std::int64_t rest = job_.evaluated_rows % job_.global_batch;
  Seconds time{};
  for (const auto& [count, rows] : {std::pair(whole, job_.global_batch), std::pair(std::int64_t{1}, rest)}) {
    if (count == 0 || rows == 0) continue;
    const std::optional<Seconds> step = evaluation_step(rows);
    if (!step) return std::nullopt;
    time += *step * static_cast<double>(count);
  }
  return time;
}

std::optional<Seconds> TrainingClock::evaluation_step(std::int64_t rows) {
  const plan::Plan& plan = plans_.evaluation(rows);
  if (plan.out_of_memory) return std::nullopt;
  timing::SimulationOptions options = options_for(rows, plans_.replica_rows(rows));
  if (scenario_.time.measured_step) options.scale = step().scale;
  return timing::simulate_step(plan, job_.machine, options).summary.step;
}

Seconds TrainingClock::evaluation_step_on(const cluster::Machine& machine, const plan::Plan& plan,
                                          std::int64_t rows) {
  timing::SimulationOptions options = options_for(rows, {&rows, 1});
  options.steps.rows.clear();
  options.pipeline.reset();
  if (scenario_.time.measured_step) options.scale = step().scale;
  return timing::simulate_step(plan, machine, options).summary.step;
}

std::optional<Seconds> TrainingClock::reading(std::int64_t rows) const {
  const std::optional<timing::InputPipeline> pipeline = rows_pipeline(scenario_, job_);
  return pipeline ? std::optional(timing::reading_time(*pipeline, rows)) : std::nullopt;
}

// ---- Beside one device

std::int64_t TrainingClock::baseline_rows() const {
  return scenario_.training.per_replica_batch.value_or(job_.global_batch);
}

timing::Baseline TrainingClock::baseline() {
  const Alone& alone = simulate_alone(baseline_rows());
  const timing::Simulated& summary = alone.simulation.summary;
  return {.devices = job_.machine.devices_of_each(),
          .is_weak = scenario_.training.per_replica_batch.has_value(),
          .rows = baseline_rows(),
          .step = summary.step,
          .samples_per_second = summary.samples_per_second,
          .fits = alone.fits};
}

std::vector<plan::Plan> TrainingClock::timed_plans() {
  const std::int64_t own = plans_.own_rows();
  std::vector<plan::Plan> plans{*plans_.alone(own)};
  if (job_.machine.all_replicas() == 1) return plans;
  if (baseline_rows() != own) plans.push_back(*plans_.alone(baseline_rows()));
  plans.push_back(plans_.whole());
  return plans;
}

void TrainingClock::complete(timing::Simulated& summary) {
  summary.baseline = baseline();
  summary.efficiency = summary.speed_up() / static_cast<double>(job_.machine.all_replicas());
  const bool has_slow = !job_.faults.slowed.empty() || !job_.faults.degraded.empty();
  for (std::size_t i = 0; i < phases_.size() && has_slow; ++i)
    summary.phases.push_back(
        {phases_[i].from_step, simulate(job_.global_batch, i).summary.step, phases_[i].what});
  if (scenario_.time.compile) summary.compiles = timing::Compiles{job_.step_rows, *scenario_.time.compile};
}

// ---- The whole training

std::optional<Seconds> TrainingClock::first_values() {
  const Step& step = plans_.step();
  std::vector<TensorSpec> variables;
  for (const StepVariable& variable : step.variables) variables.push_back(step.program.spec(variable.value));
  return time_of_first_values(scenario_, job_.machine, variables);
}

std::optional<Seconds> TrainingClock::tracing() {
  const std::optional<timing::SoftwareOptions> software = software_of(scenario_, job_.machine);
  if (!software) return std::nullopt;
  const platform::Platform& platform = *job_.machine.platform;
  const platform::Endpoint first = job_.machine.endpoint(print(job_.machine.device().name));
  return timing::tracing_of(plans_.whole(), platform.type(first), *software);
}

Seconds TrainingClock::time_before(std::int64_t step) {
  Seconds time{};
  for (std::size_t phase = 0; phase < phases_.size() && phases_[phase].from_step < step; ++phase) {
    const std::int64_t end = phase < phases_.last() ? std::min(step, phases_[phase + 1].from_step) : step;
    const timing::Simulated& summary = simulate(job_.global_batch, phase).summary;
    time += summary.each_step() * static_cast<double>(end - phases_[phase].from_step);
    if (phase == 0 && summary.course) time += summary.course->first - summary.step;
  }
  return time;
}

timing::LostWorker TrainingClock::lost(const timing::Failure& failure, std::int64_t step, Seconds begin) {
  const std::int64_t number = std::min(step, scenario::steps_of(scenario_, job_) - 1);
  const timing::Simulation& last = this->step(job_.global_batch, number);
  if (!is_tensorflows_) {
    const std::optional<strategy::ReductionChoice> reduction = plans_.reduction();
    is_tensorflows_ = !reduction || !reduction->is_librarys;
  }
  // On a dataset that ends, fit asks all workers by a number before each step whether anyone has a batch. A worker that is
  // lost between two steps is missed there.
  const bool asks_first =
      scenario_.training.loop == scenario::Loop::fit && !failure.time && scenario_.dataset.repeat > 0;
  const timing::StepOfLoss of{.number = step,
                              .begin = begin,
                              .plan = &plans_.whole(),
                              .timeline = &last.timeline,
                              .is_tensorflows = *is_tensorflows_,
                              .reduced = asks_first ? Bytes(4) : plans_.gradients()};
  const timing::HealthCheck check = health_check_of(scenario_.semantics);
  if (scenario_.strategy->outlives_workers() && job_.machine.tasks > 1)
    return timing::lost_in_collective(failure, job_.machine, of, check,
                                      scenario_.strategy->collective_timeout());
  if (job_.machine.pool || job_.machine.tasks > 1)
    return timing::lost_to_coordinator(failure, job_.machine, of, check);
  return timing::lost_program(failure, job_.machine, of);
}

// Finds the first timeout among the steps that are simulated in each phase. With jitter, a later step that is
// not simulated could time out, too.
std::optional<timing::TimedOut> TrainingClock::timed_out(std::int64_t steps) {
  if (!scenario_.strategy->collective_timeout()) return std::nullopt;
  for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
    const std::optional<timing::Overdue>& overdue = simulate(job_.global_batch, phase).overdue;
    if (!overdue) continue;
    const std::int64_t begin = phases_[phase].from_step;
    const std::int64_t step = begin + overdue->step;
    if (step >= steps || phases_.at(step) != phase) continue;
    return timing::TimedOut{.step = step,
                            .collective = overdue->collective,
                            .last = overdue->last,
                            .late = overdue->late,
                            .arrival = time_before(begin) + overdue->entered,
                            .span = overdue->span,
                            .timeout = *scenario_.strategy->collective_timeout()};
  }
  return std::nullopt;
}

}  // namespace wt::session
