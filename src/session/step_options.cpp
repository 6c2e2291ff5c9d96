#include "session/step_options.h"

#include <algorithm>

#include "communication/constants.h"

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

}  // namespace wt::session
