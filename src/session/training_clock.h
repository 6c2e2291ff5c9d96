#pragma once
// When everything in a scenario's training happens, on the machine it describes: each step by its rows and by
// which devices are slow, one device alone with its rows, and how the job ends where a worker is lost or a
// collective's time runs out. What is timed once is kept.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "session/training_plans.h"
#include "timing/ending.h"
#include "timing/phases.h"
#include "timing/simulation.h"

namespace wt::session {

class TrainingClock {
 public:
  // `options`: what the scenario doesn't say of its time. Requires: all of them outlive it.
  TrainingClock(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans,
                timing::SimulationOptions options);

  // All that follow require: there is a platform, and the step fits.

  // A whole batch's, once all devices are slow that become so.
  const timing::Simulation& step() { return simulate(job_.global_batch, phases_.last()); }
  const timing::Simulation& step(std::int64_t rows, std::int64_t number) {
    return simulate(rows, phases_.at(number));
  }

  // One of the devices, alone with as many rows as each replica has, or with the whole batch.
  timing::Baseline baseline();

  // The plans that step() and baseline() time; first a device alone with its rows.
  std::vector<plan::Plan> timed_plans();

  // What else is to be said of a training whose step is told: beside one device, by phases, and of its
  // programs.
  void complete(timing::Simulated& told);

  // How the job ends, if it doesn't reach its end.
  std::optional<timing::LostWorker> lost();
  std::optional<timing::TimedOut> timed_out(std::int64_t steps);  // before so many are done

 private:
  const timing::Simulation& simulate(std::int64_t rows, std::size_t phase);
  const timing::Simulation& simulate_alone(std::int64_t rows);
  timing::SimulationOptions options_for(std::int64_t rows, std::span<const std::int64_t> replica_rows) const;
  void measure(timing::SimulationOptions& options) const;
  void fold(timing::SimulationOptions& options, const plan::Plan& plan) const;
  Seconds time_before(std::int64_t step);
  std::int64_t baseline_rows() const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
  const timing::SimulationOptions options_;
  const timing::Phases phases_;
  std::map<std::pair<std::int64_t, std::size_t>, timing::Simulation>
      simulations_{};                                   // by rows of the step, and phase
  std::map<std::int64_t, timing::Simulation> alone_{};  // of one device, by its rows
};

}  // namespace wt::session
