#include "cli/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/host_pieces.h"
#include "cli/lost_worker.h"
#include "cli/rehearsal.h"
#include "model/weights.h"
#include "scenario/names.h"
#include "tensor/safetensors.h"

namespace wt {

namespace {

plan::Fusion fusion_of(scenario::Fusion fusion) {
  switch (fusion) {
    case scenario::Fusion::activations:
      return plan::Fusion::activations;
    case scenario::Fusion::program:
      return plan::Fusion::program;
    case scenario::Fusion::none:
      break;
  }
  return plan::Fusion::none;
}

void add_shapes(std::vector<Tensor>& batch, const std::vector<TensorSpec>& row, std::int64_t rows) {
  for (const TensorSpec& spec : model::batched(row, rows)) batch.push_back(Tensor::shape_only(spec));
}

// Beside the limits of the other pieces that the physical device is cut into. One replica needs no buffers of
// a collective library.
std::optional<plan::Capacity> capacity_of(scenario::Machine& machine, const device::LogicalDevice& device) {
  if (!device.memory || device.physical.type == nullptr) return std::nullopt;
  plan::Capacity capacity{device.physical.type->memory, device.physical.type->reserve};
  if (machine.replicas.size() == 1) capacity.reserve.communication = Bytes(0);
  for (const device::LogicalDevice& other : machine.context.list_logical_devices())
    if (other.physical == device.physical && other.name.index != device.name.index && other.memory)
      capacity.memory -= other.memory->limit;
  return capacity;
}

}  // namespace

Training::Training(const scenario::Scenario& scenario, scenario::Job job, Options options)
    : scenario_(scenario),
      job_(std::move(job)),
      options_(std::move(options)),
      workers_(options_.threads),
      queues_(options_.computes ? HostQueues(scenario_, job_.machine, workers_) : HostQueues(workers_)),
      lowering_(scenario_, job_.machine),
      machine_{[this](strategy::Steps steps) { return lowering_.lower(steps); }, queues_.queues(),
               job_.input},
      state_(static_cast<std::uint64_t>(scenario.seed)),
      model_(job_.model, state_, machine_),
      evaluator_(job_.model, state_, machine_) {
  model_.compile(compile_options(scenario_, job_));
  evaluator_.compile(evaluation_options());
  find_phases();
  if (options_.note)
    for (const std::string& text : queues_.notes()) options_.note(text);
}

// ---- Before anything runs

std::vector<Tensor> Training::batch_of(std::int64_t rows) const {
  std::vector<Tensor> batch;
  add_shapes(batch, job_.inputs, rows);
  add_shapes(batch, job_.labels, rows);
  return batch;
}

// As the training's batches are dealt out.
std::vector<std::int64_t> Training::replica_rows(std::int64_t rows) const {
  if (job_.input.replicas == 1) return {rows};
  const data::Dataset batch = data::Dataset::from_tensors(batch_of(rows));
  const auto pieces = data::DistributedDataset(batch, job_.input).iterate().next();
  std::vector<std::int64_t> dealt;
  for (const data::Element& own : *pieces) dealt.push_back(own.front().shape()[0]);
  return dealt;
}

const plan::Plan& Training::plan(std::int64_t rows) { return model_.training_plan(batch_of(rows)); }

const Step& Training::step() { return model_.training_step(batch_of(job_.global_batch)); }

std::vector<std::optional<plan::Capacity>> Training::capacities(const plan::Plan& plan) {
  std::vector<std::optional<plan::Capacity>> capacities(plan.devices.size());
  for (const scenario::Replica& replica : job_.machine.replicas)
    for (const device::LogicalDevice& device : replica.devices())
      for (std::size_t i = 0; i < plan.devices.size(); ++i)
        if (plan.devices[i].name == print(device.name)) capacities[i] = capacity_of(job_.machine, device);
  return capacities;
}

plan::MemoryReport Training::memory() { return report_memory(plan(), capacities(plan())); }

// The default strategy asks for no device; one_device asks for its own; layers for their core of a replica.
StepPlacement Training::placement() {
  PlacementRules rules{.task = job_.machine.context.task(),
                       .soft_placement = scenario_.devices.soft_placement};
  for (const device::LogicalDevice& device : job_.machine.context.list_logical_devices())
    rules.devices.push_back(device.name);
  rules.devices = by_priority(std::move(rules.devices));
  std::vector<device::Name> of_replica;
  for (const device::LogicalDevice& device : job_.machine.replicas.front().devices())
    of_replica.push_back(device.name);
  std::vector<DeviceScope> scopes = strategy::layer_scopes(step(), job_.machine.assigned, of_replica);
  const auto* one_device = scenario_.strategy.as<scenario::OneDevice>();
  if (one_device != nullptr && one_device->device)
    scopes.push_back({.scope = "", .device = job_.machine.device().name});
  return place(step(), rules, scopes);
}

// Memory grows with the batch, so halving finds the border.
std::optional<std::int64_t> Training::largest_batch_that_fits() {
  constexpr std::int64_t most = 1 << 24;
  if (!job_.machine.device().memory || !fits(1)) return std::nullopt;
  std::int64_t good = 1;
  std::int64_t bad = 2;
  for (; bad <= most && fits(bad); bad *= 2) good = bad;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

bool Training::fits(std::int64_t rows) {
  train::Model model(job_.model, state_, machine_);  // a plan for each size, kept no longer than needed
  model.compile(compile_options(scenario_, job_));
  return !model.training_plan(batch_of(rows)).out_of_memory;
}

// ---- Time

SimulationOptions Training::simulation_options(std::int64_t rows) const {
  SimulationOptions options = options_.simulation;
  options.rows = rows;
  // What is pushed to one place waits there for nobody's kernel.
  options.is_brought_together = scenario_.strategy.type() != scenario::StrategyType::central_storage;
  if (options.times == nullptr && !scenario_.time.compute.is_roofline())
    throw InputError(Problem{scenario_.place("time.compute"),
                             "this command times kernels by the roofline alone",
                             R"(--set time.compute=roofline, or `run` the scenario)"});
  if (const auto& precision = scenario_.training.precision)
    options.precision =
        *precision == scenario::Precision::tf32 ? device::Precision::tf32 : device::Precision::float32;
  if (scenario_.time.fusion) options.fusion = fusion_of(*scenario_.time.fusion);
  if (scenario_.time.dispatch)
    options.dispatch = *scenario_.time.dispatch / static_cast<double>(scenario_.training.steps_per_execution);
  return options;
}

// As a row is stored: what the model reads of it, where the scenario doesn't say.
Bytes Training::stored_row() const {
  Bytes bytes{};
  for (const TensorSpec& input : job_.inputs) bytes += input.bytes();
  return scenario_.input->sample.value_or(bytes);
}

// A host's pipeline, where it reads and decodes at once: the slower of the two.
Seconds Training::time_of_rows(std::int64_t rows) const {
  const scenario::Input& input = *scenario_.input;
  const Bytes bytes = stored_row() * rows;
  Seconds time{};
  if (input.storage) time = bytes / *input.storage;
  if (!input.decode) return time;
  const auto* rate = std::get_if<BytesPerSecond>(&input.decode->rate);
  const Seconds decoding = rate != nullptr
                               ? bytes / *rate
                               : Seconds(static_cast<double>(rows) / std::get<double>(input.decode->rate));
  return std::max(time, decoding);
}

// tf_distribute.md G15: one pipeline for each worker's host. Sharded by DATA, each of them reads all rows and keeps
// its own (2.6.2); what is read from storage would be sharded by FILE, so that is AUTO here.
void Training::feed(SimulationOptions& options, std::span<const std::int64_t> replica_rows) const {
  if (!scenario_.input) return;
  const bool reads_all = scenario_.dataset.autoshard == data::AutoShardPolicy::data;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(job_.machine.tasks));
  for (std::size_t i = 0; i < replica_rows.size(); ++i)
    for (std::size_t task = 0; task < rows.size(); ++task)
      if (reads_all || std::cmp_equal(job_.machine.replicas[i].task, task)) rows[task] += replica_rows[i];
  for (const std::int64_t own : rows) options.steps.rows.push_back(time_of_rows(own));
  options.steps.prefetch = static_cast<int>(scenario_.input->prefetch);
  const std::int64_t most = *std::ranges::max_element(rows);
  const scenario::Input& input = *scenario_.input;
  const bool is_storage = input.storage && stored_row() * most / *input.storage >= time_of_rows(most);
  options.pipeline = {.rows = most,
                      .batch = time_of_rows(most),
                      .limit = is_storage     ? "storage"
                               : input.decode ? "decoding"
                                              : "nothing",
                      .prefetch = scenario_.input->prefetch};
}

void Training::find_phases() {
  std::set<std::int64_t> begins{0};
  for (const scenario::Slowed& slowed : job_.faults.slowed) begins.insert(slowed.from_step);
  for (const std::int64_t begin : begins) {
    Phase& phase = phases_.emplace_back();
    phase.from_step = begin;
    for (const scenario::Slowed& slowed : job_.faults.slowed) {
      if (slowed.from_step > begin) continue;
      phase.slow.resize(job_.machine.replicas.size(), 1.0);
      for (const std::size_t replica : slowed.replicas) phase.slow[replica] *= slowed.factor;
      phase.what.push_back(fmt::format("{} x {}", slowed.what, slowed.factor));
    }
  }
}

std::size_t Training::phase_of(std::int64_t step) const {
  std::size_t phase = 0;
  while (phase + 1 < phases_.size() && phases_[phase + 1].from_step <= step) ++phase;
  return phase;
}

// Since the training began, all batches being whole.
Seconds Training::time_before(std::int64_t step) {
  Seconds time{};
  for (std::size_t phase = 0; phase < phases_.size() && phases_[phase].from_step < step; ++phase) {
    const std::int64_t end = phase + 1 < phases_.size() ? std::min(step, phases_[phase + 1].from_step) : step;
    const report::Simulated& told = simulate(job_.global_batch, phase).told;
    time += told.step * static_cast<double>(end - phases_[phase].from_step);
    if (phase == 0 && told.course) time += told.course->first - told.step;
  }
  return time;
}

void Training::add_phases(report::Simulated& told) {
  if (job_.faults.slowed.empty()) return;
  for (std::size_t i = 0; i < phases_.size(); ++i)
    told.phases.push_back({phases_[i].from_step, simulate(job_.global_batch, i).told.step, phases_[i].what});
}

void Training::lose_worker(report::Results& results) {
  const auto& killed = job_.faults.killed;
  if (!killed) return;
  const Simulation& step = simulate(job_.global_batch, phase_of(killed->step));
  results.lost =
      lost_worker(*killed, job_.machine, plan(), step.timeline, time_before(killed->step), timeout());
}

// Of collectives; none: there are none that keep to it.
std::optional<Seconds> Training::timeout() const {
  const auto* workers = scenario_.strategy.as<scenario::MultiWorkerMirrored>();
  return workers == nullptr ? std::nullopt : workers->communication_options.timeout;
}

// Among the steps that are played of each phase: with jitter, others may come.
void Training::time_out(report::Results& results) {
  if (!timeout() || !job_.machine.platform) return;
  const std::int64_t steps = results.last_step().value_or(results.planned.steps);
  for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
    const std::optional<Overdue>& overdue = simulate(job_.global_batch, phase).overdue;
    if (!overdue) continue;
    const std::int64_t begin = phases_[phase].from_step;
    const std::int64_t step = begin + overdue->step;
    if (step >= steps || phase_of(step) != phase) continue;
    results.lost.reset();
    results.timed_out = report::TimedOut{.step = step,
                                         .collective = overdue->collective,
                                         .last = overdue->last,
                                         .late = overdue->late,
                                         .arrival = time_before(begin) + overdue->entered,
                                         .span = overdue->span,
                                         .timeout = *timeout()};
    return;
  }
}

// An epoch whose next step the job doesn't reach.
bool Training::is_cut_off(const train::EpochResult& epoch) const {
  const std::int64_t whole = scenario_.training.steps_per_epoch.value_or(job_.batches->cardinality());
  return scenario_.training.steps || epoch.steps < whole;
}

// The first replica's step, with nobody to talk to. A measured step is one device's, with a replica's rows.
const Simulation& Training::simulated_alone(std::int64_t rows) {
  if (const auto known = alone_.find(rows); known != alone_.end()) return known->second;
  SimulationOptions options = simulation_options(rows);
  const std::int64_t own = replica_rows(job_.global_batch).front();
  if (const auto& measured = scenario_.time.measured_step; measured && rows == own) {
    options.measured_step = measured;
    options.measured_at = scenario_.place("time.measured_step");
  } else if (measured) {
    options.scale = simulated_alone(own).scale;
  }
  scenario::Machine alone = job_.machine;
  alone.replicas.resize(1);
  feed(options, std::vector{rows});
  return alone_.emplace(rows, simulate_step(plan_alone(rows), alone, options)).first->second;
}

plan::Plan Training::plan_alone(std::int64_t rows) {
  const Step& step = model_.training_step(batch_of(rows * job_.input.replicas));
  return lowering_.lower_alone(step);
}

std::int64_t Training::baseline_rows() const {
  return scenario_.training.per_replica_batch.value_or(job_.global_batch);
}

std::vector<plan::Plan> Training::timed_plans() {
  const std::int64_t own = replica_rows(job_.global_batch).front();
  std::vector<plan::Plan> plans{plan_alone(own)};
  if (job_.input.replicas == 1) return plans;
  if (baseline_rows() != own) plans.push_back(plan_alone(baseline_rows()));
  plans.push_back(plan());
  return plans;
}

const Simulation& Training::simulate(std::int64_t rows, std::size_t phase) {
  const std::pair key(rows, phase);
  if (const auto known = simulations_.find(key); known != simulations_.end()) return known->second;
  SimulationOptions options = simulation_options(rows);
  feed(options, replica_rows(rows));
  options.steps.slow = phases_[phase].slow;
  options.steps.jitter = scenario_.time.jitter;
  options.steps.seed = scenario_.seed;
  options.timeout = timeout();
  if (scenario_.time.steps) options.steps.count = static_cast<int>(*scenario_.time.steps);
  if (job_.input.replicas > 1) {
    if (scenario_.time.measured_step)
      options.scale = simulated_alone(replica_rows(job_.global_batch).front()).scale;
  } else {
    options.measured_step = scenario_.time.measured_step;
    options.measured_at = scenario_.place("time.measured_step");
  }
  fold(options, plan(rows));
  options.calls = lowering_.calls(plan(rows));
  return simulations_.emplace(key, simulate_step(plan(rows), job_.machine, options)).first->second;
}

// Only for the plan that is timed: a search for the largest batch lowers others, too.
void Training::fold(SimulationOptions& options, const plan::Plan& plan) const {
  if (scenario_.time.collectives != scenario::Collectives::folded) return;
  options.folding = communication::Folding::folded;
  options.folding_at = scenario_.place("time.collectives");
  if (const std::string why = lowering_.why_all(plan); !why.empty())
    throw InputError(Problem{options.folding_at, fmt::format("the step can't be folded: {}", why),
                             R"(take "auto", which folds what can be)"});
}

report::Baseline Training::baseline() {
  report::Baseline baseline{.devices = job_.machine.devices_of_each(),
                            .is_weak = scenario_.training.per_replica_batch.has_value()};
  baseline.rows = baseline_rows();
  const report::Simulated& told = simulated_alone(baseline.rows).told;
  baseline.step = told.step;
  baseline.samples_per_second = told.samples_per_second;
  return baseline;
}

std::int64_t Training::last_epoch() const { return scenario_.training.epochs.value_or(1); }

report::Planned Training::planned() {
  const model::ParameterCount parameters = model::count_parameters(job_.weights);
  const std::int64_t per_epoch = scenario_.training.steps_per_epoch.value_or(job_.batches->cardinality());
  return {.model = job_.model->name(),
          .trainable_parameters = parameters.trainable,
          .other_parameters = parameters.not_trainable,
          .replicas = job_.input.replicas,
          .devices_of_each = job_.machine.devices_of_each(),
          .workers = job_.input.workers,
          .replica_rows = replica_rows(job_.global_batch),
          .reduction = lowering_.reduction(Bytes(parameters.trainable * 4)),
          .global_batch = job_.global_batch,
          .epochs = last_epoch(),
          .steps = scenario::steps_of(scenario_, job_),
          .memory = memory(),
          .steps_per_epoch = per_epoch >= 0 ? std::optional(per_epoch) : std::nullopt};
}

report::Forecast Training::forecast() {
  report::Forecast forecast{.planned = planned()};
  if (const auto& shortage = forecast.planned.memory.shortage)
    forecast.out_of_memory = shortage->message;
  else if (job_.machine.platform)
    forecast.simulated = simulate().told;
  return forecast;
}

// ---- The run

report::Results Training::run(report::Folder& folder) {
  report::Forecast known = forecast();
  report::Results results{.version = options_.version,
                          .name = scenario_.name,
                          .strategy = std::string(scenario::name_of(scenario_.strategy.type())),
                          .semantics = std::string(model::name(scenario_.semantics)),
                          .numerics = std::string(scenario::name_of(scenario_.numerics)),
                          .planned = std::move(known.planned),
                          .simulated = std::move(known.simulated),
                          .out_of_memory = std::move(known.out_of_memory)};
  if (results.out_of_memory) return results;
  if (results.simulated && job_.input.replicas > 1) {
    const report::Baseline alone = baseline();
    results.simulated->efficiency = results.simulated->samples_per_second /
                                    static_cast<double>(job_.input.replicas) / alone.samples_per_second;
    results.simulated->baseline = alone;
  }
  if (results.simulated) add_phases(*results.simulated);
  if (results.simulated && scenario_.time.compile)
    results.simulated->compiles = report::Compiles{job_.step_rows, *scenario_.time.compile};
  lose_worker(results);
  time_out(results);
  if (!results.has_numbers()) return results;
  expect(options_.computes, "{} is run, and was to be planned alone", scenario_.name);
  require_place_on_host(scenario_, job_.machine, plan(), queues_.gpus());
  take_seats(results);
  try {
    train(results, folder);
  } catch (const device::ResourceExhaustedError& error) {  // an evaluation has a step of its own
    results.out_of_memory = error.what();
  }
  return results;
}

// In this machine's pieces; other plans, as an evaluation's, are seated like the step's.
void Training::take_seats(report::Results& results) {
  if (pieces_in_turns(scenario_, job_.machine, plan()).empty()) return;
  const auto seat = [this](const plan::Plan& whole) {
    return plan::in_turns(whole, pieces_in_turns(scenario_, job_.machine, whole));
  };
  const plan::InTurns step = seat(plan());
  machine_.seat = [seat](const plan::Plan& whole) { return seat(whole).plan; };
  if (step.swaps == 0) return;
  results.turns = report::Turns{step.swaps, step.swapped};
  if (options_.note) options_.note(report::turns_text(*results.turns));
}

void Training::train(report::Results& results, report::Folder& folder) {
  state_.preset(job_.initial_weights);
  done_ = restore();
  data::Dataset batches = *job_.batches;
  if (scenario_.training.steps) batches = batches.skip(done_.steps);
  model_.fit(batches, fit_options(results, folder));
  if (results.last_step()) return;
  if (const auto& evaluation = scenario_.training.evaluation) {
    if (evaluation->from_checkpoint)
      results.evaluation = evaluate_checkpoint(folder);
    else if (!evaluation->every)
      results.evaluation = evaluator_.evaluate(*job_.evaluation);
  }
  save_weights(folder);
}

train::FitOptions Training::fit_options(report::Results& results, report::Folder& folder) {
  const scenario::Training& training = scenario_.training;
  train::FitOptions options{.epochs = last_epoch(),
                            .initial_epoch = training.steps ? 0 : done_.epochs,
                            .steps_per_epoch = training.steps_per_epoch};
  if (training.steps) options.steps = *training.steps - done_.steps;
  if (const auto last = results.last_step()) options.steps = std::max<std::int64_t>(0, *last - done_.steps);
  options.on_step = [&](const train::StepResult& step) { finish_step(step, results); };
  options.on_epoch = [&](const train::EpochResult& epoch) { finish_epoch(epoch, results, folder); };
  return options;
}

void Training::finish_step(train::StepResult step, report::Results& results) {
  step.step += done_.steps;
  losses_of_epoch_ += step.loss;
  if (options_.on_step) options_.on_step(step);
  if (job_.machine.platform)
    results.step_times[step.step] = simulate(step.rows, phase_of(step.step)).told.step;
  results.steps.push_back(std::move(step));
}

void Training::finish_epoch(train::EpochResult epoch, report::Results& results, report::Folder& folder) {
  // train_loss = total_loss / num_batches, as loops of one's own have it; fit weighs batches by their rows.
  if (scenario_.training.loop == scenario::Loop::custom && epoch.steps > 0)
    epoch.loss = losses_of_epoch_ / static_cast<double>(epoch.steps);
  losses_of_epoch_ = 0;
  if (results.last_step() && is_cut_off(epoch)) return;
  const std::int64_t number = epoch.epoch + 1;
  results.epochs.push_back({std::move(epoch), {}});
  save_checkpoint(number, done_.steps + std::ssize(results.steps), folder);
  const auto& evaluation = scenario_.training.evaluation;
  if (evaluation && evaluation->every && number % *evaluation->every == 0)
    results.epochs.back().evaluation = evaluator_.evaluate(*job_.evaluation);
}

// An evaluation's loss is the mean over the rows, whatever a step divides by.
train::CompileOptions Training::evaluation_options() const {
  train::CompileOptions options = compile_options(scenario_, job_);
  if (options.loss_scale == train::LossScale::global_batch)
    options.loss_scale = train::LossScale::global_rows;
  return options;
}

// ---- Checkpoints and weights

train::Progress Training::restore() {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (!checkpointing || !checkpointing->restore) return {};
  const std::string key = "training.checkpointing.restore";
  const auto newest = train::latest_checkpoint(checkpointing->restore->path);
  if (!newest)
    throw InputError(Problem{scenario_.place(key),
                             fmt::format("no checkpoint in \"{}\"", checkpointing->restore->path),
                             "name a folder with an index called \"checkpoint\", or leave it out"});
  state_.add(job_.weights);
  const train::Progress done = train::Checkpoint(state_).restore(*newest);
  require_something_left(done);
  model_.create_variables(batch_of(job_.global_batch));
  const std::vector<std::string> unused = state_.waiting();
  if (options_.note && !unused.empty())
    options_.note(fmt::format("the checkpoint has variables that this training doesn't use: {}",
                              fmt::join(unused, ", ")));
  return done;
}

void Training::require_something_left(const train::Progress& done) const {
  const bool in_steps = scenario_.training.steps.has_value();
  const std::int64_t come = in_steps ? done.steps : done.epochs;
  const std::int64_t wanted = in_steps ? *scenario_.training.steps : last_epoch();
  if (come < wanted) return;
  const std::string_view unit = in_steps ? "steps" : "epochs";
  throw InputError(Problem{
      scenario_.place("training.checkpointing.restore"),
      fmt::format("the checkpoint was saved after {} {}, and {} are wanted in all", come, unit, wanted),
      fmt::format("raise \"{}\"", unit)});
}

// The last epoch's too, whatever `every` says: what was trained is not lost.
void Training::save_checkpoint(std::int64_t epoch, std::int64_t steps, report::Folder& folder) {
  const auto& checkpointing = scenario_.training.checkpointing;
  if (!checkpointing || (epoch % checkpointing->every != 0 && epoch != last_epoch())) return;
  const std::filesystem::path prefix = folder.inside(checkpointing->folder.path) / "ckpt";
  folder.keep();
  train::Checkpoint checkpoint(state_, checkpointing->keep);
  // Counted in steps, a training stops somewhere in an epoch.
  checkpoint.save(prefix, {.epochs = scenario_.training.steps ? 0 : epoch, .steps = steps});
}

// A plain model of its own, which has seen nothing but the file.
train::EpochResult Training::evaluate_checkpoint(report::Folder& folder) {
  const std::filesystem::path inside = folder.inside(scenario_.training.checkpointing->folder.path);
  const auto newest = train::latest_checkpoint(inside);
  expect(newest.has_value(), "the last epoch saves a checkpoint: {}", inside.string());
  state_.take_back();  // a GPU may have no room for both
  train::State fresh(state_.seed());
  fresh.add(job_.weights);
  train::Checkpoint(fresh).restore(*newest);
  train::Model model(job_.model, fresh, machine_);
  model.compile(evaluation_options());
  return model.evaluate(*job_.evaluation);
}

void Training::save_weights(report::Folder& folder) {
  const auto& wanted = scenario_.training.save_weights;
  if (!wanted) return;
  const Place place = scenario_.place("training.save_weights");
  write_safetensors(folder.inside(wanted->path, place), {.tensors = model_.weights()});
}

void check_output_names(const scenario::Scenario& scenario) {
  Problems problems;
  const auto check = [&](const scenario::OutputPath& name, std::string_view key) {
    try {
      report::check_output_name(name.path, scenario.place(key));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  };
  if (const auto& checkpointing = scenario.training.checkpointing)
    check(checkpointing->folder, "training.checkpointing.folder");
  if (const auto& weights = scenario.training.save_weights) check(*weights, "training.save_weights");
  problems.throw_if_any();
}

}  // namespace wt
