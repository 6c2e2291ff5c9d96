#include "session/training.h"

#include <fmt/format.h>

#include "base/rough.h"
#include "device/error.h"
#include "plan/memory_report.h"
#include "scenario/expenses.h"
#include "scenario/names.h"
#include "session/course.h"
#include "session/host_memory.h"
#include "session/job_clock.h"
#include "session/keras_faults.h"
#include "session/rehearsal.h"
#include "tensor/safetensors.h"
#include "timing/pool_losses.h"

namespace wt::session {

Training::Training(const scenario::Scenario& scenario, scenario::Job job, Options options)
    : scenario_(scenario),
      job_(std::move(job)),
      options_(std::move(options)),
      workers_(options_.threads),
      queues_(options_.computes ? HostQueues(scenario_, computed_on(job_.machine), workers_)
                                : HostQueues(workers_)),
      plans_(scenario_, job_, queues_, options_.shared),
      clock_(scenario_, job_, plans_, options_.simulation),
      saved_(scenario_, job_, plans_),
      printed_(scenario_, options_.print),
      evaluator_(job_.model, plans_.state(), plans_.machine()) {
  check_restarts(scenario_, job_);
  evaluator_.compile(evaluation_options(scenario_, job_));
  if (evaluates_beside(scenario_, job_)) beside_.emplace(scenario_, job_, plans_, clock_);
  if (options_.note)
    for (const std::string& text : queues_.notes()) options_.note(text);
}

std::optional<std::string> Training::check() {
  if (const auto shortage = plans_.memory().shortage) return shortage->message;
  const scenario::Time& time = scenario_.time;
  const bool can_be_refused = time.collectives == scenario::Collectives::folded || time.measured_step;
  if (job_.machine.platform && can_be_refused && time.compute.is_roofline()) clock_.step();
  const bool may_never_end = scenario_.job && scenario_.job->time_between_failures;
  if (may_never_end && time.compute.is_roofline()) JobClock(scenario_, job_, clock_).time();
  if (scenario_.numerics == scenario::Numerics::none) return std::nullopt;
  require_host();
  for (const plan::Plan* plan : evaluation_plans())
    if (plan->out_of_memory) return plan::report_memory(*plan).shortage->message;
  plans_.state().preset(job_.initial_weights);
  saved_.restore({});
  return std::nullopt;
}

session::Forecast Training::forecast() {
  session::Forecast forecast{.strategy = std::string(scenario_.strategy->name()),
                             .chosen_strategy = scenario_.chosen_strategy(),
                             .planned = plans_.planned()};
  if (options_.asks_nccl && forecast.planned.reduction)
    forecast.planned.reduction->otherwise = plans_.alternative_reduction();
  if (const auto& shortage = forecast.planned.memory.shortage)
    forecast.out_of_memory = shortage->message;
  else if (job_.machine.platform)
    clock_.complete(forecast.simulated.emplace(clock_.step().summary));
  if (forecast.simulated && scenario::wants_job_time(scenario_, job_)) add_job(scenario_, forecast);
  return forecast;
}

void Training::add_job(const scenario::Scenario& scenario, session::Forecast& forecast) {
  forecast.job = JobClock(scenario, job_, clock_).time();
  if (beside_) add_evaluations_beside(*forecast.job, beside_->beside(scenario::epochs_of(scenario)));
  add_cost(forecast.job, forecast.cost);
}

void Training::add_cost(const std::optional<timing::JobTime>& job, std::optional<cost::Cost>& cost) const {
  const cost::Price* price = scenario::price_of(scenario_, job_.machine.platform->name());
  if (price == nullptr) return;
  Parsed<cost::Cost> bill = cost::bill(*price, scenario::rented_by(scenario_, job_.machine),
                                       {.job = job->total(), .samples = job->samples, .epochs = job->epochs});
  WT_EXPECT(bill.value, "a price was accepted that does not fit: {}", bill.fact);
  cost = std::move(*bill.value);
}

// ---- The run

std::vector<Problem> Training::faults() {
  const bool names_a_version = scenario_.faithful.value_or(false) || scenario_.semantics_rule.empty();
  return names_a_version ? faults_of(scenario_, job_, plans_) : std::vector<Problem>{};
}

std::optional<EndedByFault> Training::ending_fault() {
  return scenario_.faithful.value_or(false) ? fault_that_ends(scenario_, job_, plans_) : std::nullopt;
}

session::Results Training::planned_results() {
  session::Forecast known = forecast();
  return {.version = options_.version,
          .name = scenario_.name,
          .strategy = std::move(known.strategy),
          .semantics = std::string(model::name(scenario_.semantics)),
          .chosen_semantics = scenario_.chosen_semantics(),
          .numerics = std::string(scenario::name_of(scenario_.numerics)),
          .planned = std::move(known.planned),
          .simulated = std::move(known.simulated),
          .job = std::move(known.job),
          .cost = std::move(known.cost),
          .out_of_memory = std::move(known.out_of_memory),
          .fault = ending_fault(),
          .target_loss = scenario_.training.target_loss};
}

session::Results Training::run(OutputFolder& folder) {
  session::Results results = planned_results();
  if (results.out_of_memory) return results;
  if (beside_ && !results.last_step()) results.beside = beside_->beside(scenario::epochs_of(scenario_));
  if (results.simulated) add_time(results);
  if (!results.has_numbers()) return results;
  WT_EXPECT(options_.computes, "{} was created without Options::computes, so it cannot run", scenario_.name);
  require_host();
  note_turns(results);
  try {
    if (scenario_.training.is_inference())
      predict(results, folder);
    else
      train(results, folder);
  } catch (const device::ResourceExhaustedError& error) {  // The plan of an evaluation may need more memory.
    results.out_of_memory = error.what();
  }
  return results;
}

// A job ends only once. timed_out() considers only the steps before the loss of a worker, so a timeout that
// it returns comes first.
void Training::add_time(session::Results& results) {
  if (results.fault) {
    results.job.reset();
    results.cost.reset();
    return;
  }
  if (job_.faults.can_end_training()) {
    results.course = course_of(scenario_, job_, clock_, saved_.restored_steps());
    if (!results.course->is_complete) results.lost = results.course->attempts.back().lost;
  }
  const std::optional<std::int64_t> first_failure =
      results.course ? std::optional(results.course->attempts.front().end) : std::nullopt;
  results.timed_out = clock_.timed_out(first_failure.value_or(results.planned.steps));
  if (results.timed_out) {
    results.lost.reset();
    results.course.reset();
  }
  if (!results.has_numbers() && !results.last_step() && results.simulated->pool)
    if (const auto& losses = results.simulated->pool->losses; losses && losses->never_executed > 0)
      end_without_workers(*losses, results);
  if (results.last_step()) {
    results.job.reset();
    results.cost.reset();
  } else if (results.course && results.job) {
    add_course(*results.job, *results.course);
    add_cost(results.job, results.cost);
  }
}

// ---- This machine's memory

std::vector<const plan::Plan*> Training::evaluation_plans() {
  std::vector<const plan::Plan*> plans;
  for (const std::int64_t rows : job_.evaluation_rows)
    plans.push_back(&evaluator_.evaluation_plan(plans_.batch_of(rows)));
  return plans;
}

// Plans that don't fit into the described devices are never executed.
void Training::require_host() {
  queues_.require_room(plans_.whole());
  if (job_.machine.pool && queues_.seated(plans_.whole()))
    throw InputError(
        Problem{scenario_.place(scenario_.host.logical_devices ? "host.logical_devices" : "numerics"),
                "the workers of a coordinator don't fit into this machine's memory, and don't take turns in "
                "it, since "
                "none of them waits for another",
                "raise the memory limits, list more of them, or use smaller batches"});
  std::vector<Held> held;
  const auto hold = [&](std::string_view what, std::int64_t rows, const plan::Plan& plan) {
    if (plan.out_of_memory) return;
    const std::optional<plan::InTurns> turns = queues_.seated(plan);
    held.push_back({fmt::format("{} of {}", what, counted(rows, "row")),
                    bytes_on_host(turns ? turns->plan : plan, queues_.are_on_gpus())});
  };
  for (const std::int64_t rows : job_.step_rows) hold("steps", rows, plans_.of(rows));
  const std::vector<const plan::Plan*> evaluations = evaluation_plans();
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    hold("evaluations", job_.evaluation_rows[i], *evaluations[i]);
  const std::vector<Held> beside = held_beside_plans(scenario_, plans_.step(), plans_.whole(), held.size());
  held.insert(held.end(), beside.begin(), beside.end());
  require_host_memory(scenario_, held, options_.free_memory());
}

void Training::note_turns(session::Results& results) {
  const std::optional<plan::InTurns> step = queues_.seated(plans_.whole());
  if (!step) return;
  results.turns = session::Turns{step->swaps, step->swapped};
  if (options_.note) options_.note(print(*results.turns));
}

namespace {

constexpr std::string_view predictions_file = "predictions.safetensors";

// Outputs have names where a model has several of them.
std::string name_of_output(const std::vector<std::string>& names, std::size_t output) {
  return names.size() > 1 ? names[output] : "predictions";
}

}  // namespace

void Training::predict(session::Results& results, OutputFolder& folder) {
  plans_.state().preset(job_.initial_weights);
  saved_.restore(options_.note);
  if (options_.on_begin) options_.on_begin();
  train::PredictOptions options{.steps = results.last_step() ? results.last_step() : scenario_.training.steps,
                                .on_step = [&](const train::StepResult& step) { finish_step(step, results); },
                                .is_interrupted = [&] { return is_interrupted(results); }};
  if (options.steps == 0) return;
  const std::vector<Tensor> outputs = plans_.model().predict_outputs(*job_.batches, options);
  if (results.last_step() || results.interrupted) return;
  results.predictions = {.file = std::string(predictions_file)};
  TensorFile content;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = name_of_output(job_.model->output_names(), i);
    results.predictions->outputs.push_back({name, outputs[i].spec()});
    content.tensors.emplace(name, outputs[i]);
  }
  write_safetensors(folder.inside(predictions_file), content);
}

// A backup may have been made within an epoch, or behind the last step of one.
void Training::continue_from(const train::Progress& backup) {
  done_ = backup;
  is_backed_up_ = true;
  if (scenario_.training.steps) return;
  const std::int64_t each = scenario::steps_per_epoch(scenario_, job_);
  done_.steps_of_epoch = done_.steps - done_.epochs * each;
  if (done_.steps_of_epoch != each) return;
  ++done_.epochs;
  done_.steps_of_epoch = 0;
}

train::FitOptions Training::fit_options(session::Results& results, OutputFolder& folder) {
  const scenario::Training& training = scenario_.training;
  train::FitOptions options{.epochs = scenario::epochs_of(scenario_),
                            .initial_epoch = training.steps ? 0 : done_.epochs,
                            .steps_per_epoch = training.steps_per_epoch,
                            .finalizes = training.loop == scenario::Loop::fit && !last_step(results)};
  options.skipped_steps = training.steps ? done_.steps : done_.steps_of_epoch;
  options.reads_from_beginning = is_backed_up_ && rereads_epochs(scenario_);
  if (training.steps) options.steps = *training.steps - done_.steps;
  if (const auto last = last_step(results)) options.steps = std::max<std::int64_t>(0, *last - done_.steps);
  options.on_step = [&](const train::StepResult& step) {
    finish_step(step, results);
    callbacks_->end_step(step);
    const train::Progress done = progress_after(step, results);
    if (!is_cut_off(results)) saved_.save_after_step(done, folder);
    if (is_saved_on_notice(results)) saved_.save_last(done, folder);
  };
  options.on_epoch_begin = [&](std::int64_t epoch) {
    steps_of_epoch_ = epoch == done_.epochs ? done_.steps_of_epoch : 0;
    callbacks_->begin_epoch(epoch);
  };
  options.is_stopped = [&] { return callbacks_->stopped_by().has_value(); };
  options.on_epoch = [&](const train::EpochResult& epoch) { finish_epoch(epoch, results, folder); };
  options.is_interrupted = [&] { return is_interrupted(results); };
  if (job_.machine.pool)
    options.order = [&](std::int64_t count) { return order_closures(count, epochs_played_++, results); };
  options.on_worker_back = [&](std::int32_t worker, std::int64_t batches) {
    results.read_again.push_back({worker, batches});
    if (options_.note && batches > 0)
      options_.note(fmt::format("worker {} is back and begins its dataset anew, of which it had read {}",
                                worker, batches == 1 ? "1 batch" : fmt::format("{} batches", batches)));
  };
  return options;
}

// ---- Callbacks

train::CallbackContext Training::callback_context(const session::Results& results, OutputFolder& folder) {
  std::function<double(std::int64_t)> step_seconds;
  if (job_.machine.platform)
    step_seconds = [&](std::int64_t step) { return results.step_times.at(done_.steps + step).count(); };
  return {
      .model = plans_.model(),
      .state = plans_.state(),
      .optimizer = job_.optimizer,
      .metrics = scenario::all_metrics(job_),
      .semantics = scenario_.semantics,
      .file =
          [&](const std::string& name) { return folder.inside(name, scenario_.place("training.callbacks")); },
      .earlier = [&](const std::string& name) -> std::optional<std::filesystem::path> {
        if (is_restarted_) return folder.inside(name);
        return backup_of_interrupted(folder, name);
      },
      .is_cut_off = [&] { return is_cut_off(results); },
      .keep =
          [&](const std::string& name) {
            if (!scenario_.training.checkpointing) folder.keep(name);
          },
      .note = options_.note,
      .step_seconds = std::move(step_seconds)};
}

void Training::run_callbacks(session::Results& results) {
  session::Epoch& epoch = results.epochs.back();
  const train::EpochLogs logs =
      callbacks_->end_epoch(epoch.training, epoch.evaluation ? &*epoch.evaluation : nullptr);
  if (const auto rate = logs.find(train::name_of_rate(scenario_.semantics)); rate != logs.end())
    epoch.learning_rate = rate->second.value;
  if (const auto by = callbacks_->stopped_by())
    results.stopped = {.epochs = epoch.training.epoch + 1, .by = std::string(*by)};
}

// The last checkpoint has to be that of the last epoch, and the job is as long as its epochs.
void Training::finish_stopped(session::Results& results, OutputFolder& folder) {
  const std::int64_t epochs = results.stopped->epochs;
  saved_.save_last({.epochs = epochs, .steps = steps_done(results)}, folder);
  if (beside_) {
    std::optional<Beside> planned = std::exchange(results.beside, beside_->beside(epochs));
    for (Beside::Evaluation& evaluation : results.beside->evaluations)
      if (const Beside::Evaluation* known = planned->find(evaluation.epoch))
        evaluation.result = known->result;
    evaluate_beside(epochs, results, folder);
  }
  if (!results.job && !results.course) return;
  scenario::Scenario shorter = scenario_;
  if (shorter.training.steps)
    shorter.training.steps = steps_done(results);
  else
    shorter.training.epochs = results.stopped->epochs;
  if (results.course) results.course = course_of(shorter, job_, clock_, origin_);
  if (!results.job) return;
  session::Forecast forecast{.planned = results.planned};
  add_job(shorter, forecast);
  results.job = std::move(forecast.job);
  results.cost = std::move(forecast.cost);
  if (!results.course) return;
  add_course(*results.job, *results.course);
  add_cost(results.job, results.cost);
}

// TensorFlow's coordinator waits for a worker (cluster_coordinator.py, _handle_failure_and_recovery).
void Training::end_without_workers(const timing::PoolLosses& losses, session::Results& results) const {
  results.lost = {.worker = "the last worker",
                  .step = done_.steps + losses.closures,
                  .end = losses.end,
                  .status = "UNAVAILABLE",
                  .message = "no worker is left to execute closures"};
  if (scenario_.strategy->has_coordinator())
    results.lost->waits = "the coordinator's join waits for ever: no worker comes back";
  results.job.reset();
  results.cost.reset();
}

// Time comes first: the simulation says which worker executes which closure, and in which order.
train::ClosureOrder Training::order_closures(std::int64_t count, std::int64_t epoch,
                                             session::Results& results) {
  if (played_ != nullptr) epoch_begin_ += played_->timeline.end;
  played_ = &clock_.closures(count, epoch, epoch_begin_, done_.steps + std::ssize(results.steps));
  if (clock_.can_lose_workers()) {
    if (!results.losses) results.losses.emplace();
    add(*results.losses, timing::losses_of(*played_));
    if (results.losses->never_executed > 0) end_without_workers(*results.losses, results);
  }
  staleness_.assign(played_->timeline.closures.size(), 0);
  std::vector<double> updates(staleness_.size());
  for (const timing::Update& update : timing::updates_of(*played_)) {
    staleness_[static_cast<std::size_t>(update.closure)] += update.staleness;
    ++updates[static_cast<std::size_t>(update.closure)];
  }
  for (std::size_t i = 0; i < updates.size(); ++i)
    if (updates[i] > 0) staleness_[i] /= updates[i];
  return {&played_->pooled, &played_->timeline};
}

void Training::note_closure(const train::StepResult& step, session::Results& results) const {
  const plan::Closure& closure = played_->timeline.closures[static_cast<std::size_t>(*step.closure)];
  results.step_times[step.step] = closure.end - closure.taken;
  results.closures[step.step] = {.worker = closure.worker,
                                 .begin = epoch_begin_ + closure.taken,
                                 .end = epoch_begin_ + closure.end,
                                 .staleness = staleness_[static_cast<std::size_t>(*step.closure)]};
}

// A custom loop divides the sum of the rows' losses by the nominal batch, so that replicas may add theirs. Its mean along
// axis 0 is that sum over the rows really in the step.
double Training::reported(const train::StepResult& step) const {
  const scenario::Training& training = scenario_.training;
  const bool is_nominal = training.loss_scale == scenario::LossScale::global_batch;
  if (training.reported_loss == scenario::ReportedLoss::sum || !is_nominal || step.rows == 0)
    return step.loss;
  return step.loss * static_cast<double>(job_.global_batch) / static_cast<double>(step.rows);
}

void Training::finish_step(train::StepResult step, session::Results& results) {
  step.step += done_.steps;
  step.loss = reported(step);
  losses_of_epoch_ += step.loss;
  if (options_.on_step) options_.on_step(step);
  printed_.step(step);
  if (step.closure)
    note_closure(step, results);
  else if (job_.machine.platform)
    results.step_times[step.step] = clock_.step_time(step.rows, step.step);
  results.steps.push_back(std::move(step));
}

// Where the training is between two steps. After the last step of an epoch it is at the beginning of the next.
train::Progress Training::progress_after(const train::StepResult& step, const session::Results& results) {
  ++steps_of_epoch_;
  epoch_ = step.epoch;
  return progress_of(results);
}

train::Progress Training::progress_of(const session::Results& results) const {
  if (steps_of_epoch_ == scenario::steps_per_epoch(scenario_, job_))
    return {.epochs = epoch_ + 1, .steps = steps_done(results)};
  return {.epochs = epoch_, .steps = steps_done(results), .steps_of_epoch = steps_of_epoch_};
}

bool Training::is_interrupted(session::Results& results) const {
  const std::string by = options_.interrupted_by ? options_.interrupted_by() : "";
  if (!by.empty()) results.interrupted = {.step = steps_done(results), .by = by};
  return results.interrupted.has_value();
}

void Training::finish_epoch(train::EpochResult epoch, session::Results& results, OutputFolder& folder) {
  // TensorFlow's example of a custom loop computes train_loss = total_loss / num_batches. Keras's fit weights
  // each batch by its rows.
  if (scenario_.training.loop == scenario::Loop::custom && epoch.steps > 0)
    epoch.loss = losses_of_epoch_ / static_cast<double>(epoch.steps);
  losses_of_epoch_ = 0;
  if ((last_step(results) || results.interrupted) && ends_within_epoch()) return;
  const std::int64_t number = epoch.epoch + 1;
  results.epochs.push_back({.training = std::move(epoch)});
  if (!is_cut_off(results)) saved_.save({.epochs = number, .steps = steps_done(results)}, folder);
  if (results.interrupted) return;
  evaluate_beside(number, results, folder);
  const auto& evaluation = scenario_.training.evaluation;
  if (evaluation && evaluation->every && number % *evaluation->every == 0 &&
      !(results.fault && results.fault->step <= std::ssize(results.steps)))
    results.epochs.back().evaluation = evaluate(evaluator_, results);
  if (results.interrupted) return;
  run_callbacks(results);
  printed_.epoch(results.epochs.back(), time_of_last_epoch(results));
}

std::optional<Seconds> Training::time_of_last_epoch(const session::Results& results) const {
  if (played_ != nullptr) return played_->timeline.end;
  if (results.step_times.empty()) return std::nullopt;
  Seconds time{};
  const std::int64_t steps = results.epochs.back().training.steps;
  for (std::int64_t i = std::max<std::int64_t>(0, std::ssize(results.steps) - steps);
       i < std::ssize(results.steps); ++i)
    time += results.step_times.at(results.steps[static_cast<std::size_t>(i)].step);
  return time;
}

// Whether the job ended in the middle of this epoch. Such an epoch has no results.
bool Training::ends_within_epoch() const {
  return scenario_.training.steps || steps_of_epoch_ < scenario::steps_per_epoch(scenario_, job_);
}

// ---- Evaluations

// Evaluates a new model, whose only state is that of the newest checkpoint.
std::optional<train::EpochResult> Training::evaluate_checkpoint(session::Results& results,
                                                                OutputFolder& folder) {
  train::State fresh(plans_.state().seed());
  saved_.restore_newest(fresh, folder);
  train::Model model(job_.model, fresh, plans_.machine());
  model.compile(evaluation_options(scenario_, job_));
  return evaluate(model, results);
}

// If the evaluator evaluates the checkpoint that was saved after so many epochs, which is the newest.
void Training::evaluate_beside(std::int64_t epochs, session::Results& results, OutputFolder& folder) {
  if (!results.beside) return;
  Beside::Evaluation* evaluation = results.beside->find(epochs - 1);
  if (evaluation == nullptr || evaluation->result) return;
  train::State fresh(plans_.state().seed());
  saved_.restore_newest(fresh, folder);
  train::Model model(job_.model, fresh, beside_->resources());
  model.compile(evaluation_options(scenario_, job_));
  evaluation->result = evaluate(model, results);
}

// Unset if the evaluation was interrupted: its loss would be that of some of the rows.
std::optional<train::EpochResult> Training::evaluate(train::Model& model, session::Results& results) {
  train::EvaluateOptions options{.is_interrupted = [&] { return is_interrupted(results); }};
  if (options_.on_evaluation_step)
    options.on_step = [this, all = job_.evaluation->cardinality()](std::int64_t done) {
      options_.on_evaluation_step(done, all);
    };
  train::EpochResult result = model.evaluate(*job_.evaluation, options);
  if (results.interrupted) return std::nullopt;
  return result;
}

}  // namespace wt::session
