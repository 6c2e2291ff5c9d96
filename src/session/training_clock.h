#pragma once
// Simulated times of a scenario's training on the described machine: of each step, of one device alone for
// comparison, and of the job's end if a worker is lost or a collective exceeds its timeout. A step's time
// depends only on its number of rows and on the devices that are slow at that step (a phase), so each such
// pair is simulated once and kept.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "session/training_plans.h"
#include "session/worker_losses.h"
#include "timing/ending.h"
#include "timing/lost_worker.h"
#include "timing/phases.h"
#include "timing/simulation.h"

namespace wt::session {

class TrainingClock {
 public:
  // `options` holds what a scenario cannot express. Requires: the scenario, the job and the plans outlive
  // this object.
  TrainingClock(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans,
                timing::SimulationOptions options);

  // Requires, for all functions below: the scenario has a platform, and the step fits into its devices.

  // The step of a whole batch in the last phase, in which every device that becomes slow is slow.
  const timing::Simulation& step() { return simulate(job_.global_batch, phases_.last()); }
  // The step with this number, counted from 0, and this many rows, as if it updated the weights.
  const timing::Simulation& step(std::int64_t rows, std::int64_t number) {
    return simulate(rows, phases_.at(number));
  }
  // Its time, which is shorter where it only accumulates gradients.
  Seconds step_time(std::int64_t rows, std::int64_t number);

  // All executions of the nodes of so many closures of whole batches. They are those of this epoch, which begins at this
  // time, when so many closures of the training have been completed. Requires: the machine has a pool, and epochs come
  // one after the other.
  const timing::PlayedPool& closures(std::int64_t count, std::int64_t epoch, Seconds begin,
                                     std::int64_t completed);

  // This training restarts one of which so many steps were trained: what was to fail before these has failed.
  void pass_failures_before(std::int64_t step) { losses_.pass(step); }

  // Whether a worker can be lost and the training goes on.
  bool can_lose_workers() const { return !losses_.is_empty(); }

  // ---- For the time of a whole training (session/job_clock.h)

  const timing::Phases& phases() const { return phases_; }
  const timing::Simulation& step_in_phase(std::int64_t rows, std::size_t phase) {
    return simulate(rows, phase);
  }
  // The step of a whole batch in the last phase, if its rows need no reading.
  Seconds step_without_reading();
  // Of all variables of the step; unset if none are sent (session/first_values.h).
  std::optional<Seconds> first_values();
  // All variables once, those of the optimizer included.
  Bytes size_of_variables();
  // How long each process traces the function of a step; unset: that isn't known of such a strategy, or not wanted.
  std::optional<Seconds> tracing();
  // As large as the scenario says, or all variables.
  Bytes size_of_checkpoint();
  // As the scenario says, or by the speed of the storage; none where neither is known.
  std::optional<Seconds> time_of_checkpoint();
  // Of one evaluation of all its rows, and of one step of it. Unset if a step does not fit into the devices' memory.
  std::optional<Seconds> evaluation();
  std::optional<Seconds> evaluation_step(std::int64_t rows);
  // On a machine beside the training's, with one replica, whose rows are ready when it needs them. Requires: `plan` fits.
  Seconds evaluation_step_on(const cluster::Machine& machine, const plan::Plan& plan, std::int64_t rows);
  // From the beginning of the first step to this one, if all batches are whole.
  Seconds time_before(std::int64_t step);
  // The time that a host needs to read and decode so many rows; unset if they are ready when they are wanted.
  std::optional<Seconds> reading(std::int64_t rows) const;

  // The step of the first replica alone. It has the rows of one replica if the scenario fixes the batch of
  // each replica (weak scaling), and the whole batch otherwise (strong scaling). A batch that doesn't fit
  // into one device's memory is timed all the same.
  timing::Baseline baseline();

  // The plans that step() and baseline() time. The first one is that of one replica alone with its own rows.
  std::vector<plan::Plan> timed_plans();

  // Adds the remaining facts to the summary of a step: the efficiency relative to one device, the times by
  // phase, and the compilations.
  void complete(timing::Simulated& summary);

  // How an attempt of the job ends if this fails in the step that begins at `begin`.
  timing::LostWorker lost(const timing::Failure& failure, std::int64_t step, Seconds begin);
  // Unset if no collective exceeds its timeout.
  std::optional<timing::TimedOut> timed_out(std::int64_t steps);  // within the first `steps` steps

 private:
  std::optional<timing::PlayedPool> played_{};  // the closures that were requested last
  WorkerLosses losses_;
  timing::SimulationOptions options_of(std::int64_t rows, std::size_t phase);
  cluster::Machine machine_in(std::size_t phase) const;
  const timing::Simulation& simulate(std::int64_t rows, std::size_t phase);
  void add_accumulation(timing::Simulation& simulation, const plan::Plan& plan,
                        const cluster::Machine& machine, timing::SimulationOptions options) const;
  struct Alone {
    timing::Simulation simulation{};
    bool fits = true;  // into memory
  };
  const Alone& simulate_alone(std::int64_t rows);
  timing::SimulationOptions options_for(std::int64_t rows, std::span<const std::int64_t> replica_rows) const;
  void run_without_strategy(timing::SimulationOptions& options) const;
  void measure(timing::SimulationOptions& options) const;
  void require_folded(const plan::Plan& plan) const;
  std::int64_t baseline_rows() const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
  const timing::SimulationOptions options_;
  const timing::Phases phases_;
  std::map<std::pair<std::int64_t, std::size_t>, timing::Simulation> simulations_{};  // by rows and phase
  std::optional<bool> is_tensorflows_{};   // the reduction, and not NCCL's
  std::map<std::int64_t, Alone> alone_{};  // of the first replica alone, by rows
};

}  // namespace wt::session
