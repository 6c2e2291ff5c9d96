#include "session/step_options.h"

#include <algorithm>

#include "communication/constants.h"
#include "strategy/place.h"

namespace wt::session {

plan::RowCopies copies_of(const scenario::Scenario& scenario) {
  if (scenario.input && scenario.input->on_device) return plan::RowCopies::none;
  return scenario.strategy->copies_rows_ahead() ? plan::RowCopies::ahead : plan::RowCopies::in_the_step;
}

namespace {

// Workers don't know whether another one still has rows, unless the dataset has no end. In each step they add up how
// many have: one number that goes around the ring of their hosts twice (TensorFlow's input_lib.py, in multi-worker
// mode).
Seconds agreement_of(const scenario::Scenario& scenario, const cluster::Machine& machine) {
  const bool is_endless = scenario.dataset.repeat < 0;
  return is_endless ? Seconds(0) : communication::constants().grpc.ring.latency * (2 * (machine.tasks - 1));
}

}  // namespace

// XLA joins the operations of an update, too.
plan::Updates updates_of(const scenario::Scenario& scenario) {
  const scenario::Time& time = scenario.time;
  const bool is_joined =
      scenario.training.jit_compile || time.fusion.value_or(plan::Fusion::none) != plan::Fusion::none;
  const bool are_operations = is_on(model::Switch::updates_are_operations, scenario.semantics) && !is_joined;
  return time.updates.value_or(are_operations ? plan::Updates::operations : plan::Updates::fused);
}

std::optional<timing::SoftwareOptions> software_of(const scenario::Scenario& scenario,
                                                   const cluster::Machine& machine) {
  const strategy::HostSoftware known = scenario.strategy->host_software();
  if (!scenario.time.software || known == strategy::HostSoftware::unmeasured) return std::nullopt;
  const scenario::Training& training = scenario.training;
  // A step of predict takes as long on the host as one of fit: 1.29 and 1.21 ms with one replica, 2.41 and 2.32 ms
  // with two (TensorFlow 2.15.1, Dense(1) on a CPU, without a progress bar).
  const bool is_fit = training.loop != scenario::Loop::custom;
  const bool is_divided = scenario.time.launch != scenario::Launch::threads;
  return timing::SoftwareOptions{
      .loop = training.run_eagerly ? timing::HostLoop::eager
              : is_fit             ? timing::HostLoop::fit
                                   : timing::HostLoop::function,
      .version = scenario.semantics == model::Semantics::keras3 ? "keras3" : "keras2",
      .has_strategy = known == strategy::HostSoftware::by_replica,
      .at_once = training.steps_per_execution,
      .replicas = is_divided ? 1 : std::ssize(machine.replicas) / std::max(1, machine.tasks),
      .agreement = agreement_of(scenario, machine)};
}

// ---- Closures

namespace {

constexpr std::int64_t of_each_worker = 5;  // dispatches that are played at least

// The effort grows with the flows of a closure and with those of all workers, which share links: 16 workers with 320
// flows each (ResNet-50) took 73 s for 1,000 closures.
double affordable_closures(std::size_t workers, const plan::Plan& plan) {
  constexpr double affordable = 1e8;
  const auto flows = static_cast<double>(std::ranges::count_if(
      plan.nodes, [](const plan::Node& node) { return std::holds_alternative<plan::Move>(node.action); }));
  return affordable / (flows * flows * static_cast<double>(workers) + 1);
}

// As many closures as show how the workers drift apart, or all of a shorter training. Equal workers begin in
// phase, and each needs some dozens of closures to leave it: the link that bounds 64 workers with two servers
// was busy for 93.6 % of the time in the first 1,000 closures, and for 99.0 % in 4,000.
std::int64_t closures_to_play(std::int64_t steps, std::int64_t workers, std::int64_t at_once,
                              const plan::Plan& plan) {
  const std::int64_t most = std::max<std::int64_t>(1000, 60 * workers);
  const double few = affordable_closures(static_cast<std::size_t>(workers), plan);
  const std::int64_t least = of_each_worker * workers * at_once;
  return std::clamp<std::int64_t>(
      steps, 1, std::max(least, few < static_cast<double>(most) ? static_cast<std::int64_t>(few) : most));
}

// A whole training, or as much of it as is played in some seconds: losses of workers behind that aren't seen.
std::int64_t closures_with_losses(std::int64_t steps, std::int64_t closures, double affordable) {
  constexpr double most = 20'000;
  return std::clamp<std::int64_t>(steps, 1,
                                  std::max(closures, static_cast<std::int64_t>(std::min(affordable, most))));
}

// So many steps a dispatch that each worker can be seen to take some several times: the time of a step is the
// same if both the steps and the time of a dispatch are fewer by one factor.
std::int64_t at_once_to_play(std::int64_t at_once, std::int64_t workers) {
  constexpr std::int64_t most = 20'000;  // closures in all
  return std::min(at_once, std::max<std::int64_t>(1, most / (of_each_worker * workers)));
}

}  // namespace

Seconds dispatch_of(const scenario::Scenario& scenario) {
  return scenario.strategy->has_coordinator() ? communication::constants().grpc.dispatch : Seconds(0);
}

std::optional<timing::PoolOptions> pool_of(const scenario::Scenario& scenario,
                                           const cluster::Machine& machine, const plan::Plan& plan,
                                           std::int64_t steps) {
  if (!machine.pool) return std::nullopt;
  const cluster::Pool& pool = *machine.pool;
  const std::int64_t wanted = scenario.training.steps_per_execution;
  const std::int64_t at_once = at_once_to_play(wanted, std::ssize(pool.workers));
  std::int64_t closures =
      scenario.time.steps.value_or(closures_to_play(steps, std::ssize(pool.workers), at_once, plan));
  const std::int64_t join_every = scenario.training.join_every.value_or(0);
  if (join_every > 0 && closures > join_every) closures -= closures % join_every;
  return timing::PoolOptions{
      .workers = strategy::devices_of_workers(pool),
      .replicas = machine.replicas.size(),
      .servers = std::ssize(pool.servers),
      .closures = closures,
      .dispatch = dispatch_of(scenario) * (static_cast<double>(at_once) / static_cast<double>(wanted)),
      .at_once = at_once,
      .join_every = join_every,
      .recover_together = scenario.strategy->has_coordinator(),
      .closures_with_losses =
          closures_with_losses(steps, closures, affordable_closures(pool.workers.size(), plan))};
}

}  // namespace wt::session
