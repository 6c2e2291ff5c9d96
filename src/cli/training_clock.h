#pragma once
// When everything in a scenario's training happens, on the machine it describes: each step by its rows and by
// which devices are slow, one device alone with its rows, and how the job ends where a worker is lost or a
// collective's time runs out. What is timed once is kept.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cli/phases.h"
#include "cli/simulation.h"
#include "cli/training_plans.h"
#include "report/ending.h"

namespace wt {

class TrainingClock {
 public:
  // `options`: what the scenario doesn't say of its time. Requires: all of them outlive it.
  TrainingClock(const scenario::Scenario& scenario, const scenario::Job& job, TrainingPlans& plans,
                SimulationOptions options);

  // All that follow require: there is a platform, and the step fits.

  // A whole batch's, once all devices are slow that become so.
  const Simulation& step() { return simulate(job_.global_batch, phases_.last()); }
  const Simulation& step(std::int64_t rows, std::int64_t number) {
    return simulate(rows, phases_.at(number));
  }

  // One of the devices, alone with as many rows as each replica has, or with the whole batch.
  report::Baseline baseline();

  // The plans that step() and baseline() time; first a device alone with its rows.
  std::vector<plan::Plan> timed_plans();

  // What else is to be said of a training whose step is told: beside one device, by phases, and of its
  // programs.
  void complete(report::Simulated& told);

  // How the job ends, if it doesn't reach its end.
  std::optional<report::LostWorker> lost();
  std::optional<report::TimedOut> timed_out(std::int64_t steps);  // before so many are done

 private:
  const Simulation& simulate(std::int64_t rows, std::size_t phase);
  const Simulation& simulate_alone(std::int64_t rows);
  SimulationOptions options_for(std::int64_t rows, std::span<const std::int64_t> replica_rows) const;
  void measure(SimulationOptions& options) const;
  void fold(SimulationOptions& options, const plan::Plan& plan) const;
  std::optional<Seconds> timeout() const;
  Seconds time_before(std::int64_t step);
  std::int64_t baseline_rows() const;

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  TrainingPlans& plans_;
  const SimulationOptions options_;
  const Phases phases_;
  std::map<std::pair<std::int64_t, std::size_t>, Simulation>
      simulations_{};                           // by rows of the step, and phase
  std::map<std::int64_t, Simulation> alone_{};  // of one device, by its rows
};

}  // namespace wt
