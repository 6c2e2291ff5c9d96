#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cli/compute_times.h"
#include "cli/host_queue.h"
#include "cli/lowering.h"
#include "cli/simulation.h"
#include "device/cpu/workers.h"
#include "device/error.h"
#include "program/step_placement.h"
#include "report/folder.h"
#include "report/forecast.h"
#include "report/results.h"
#include "scenario/build.h"
#include "scenario/machine.h"
#include "train/checkpoint.h"

namespace wt {

// A scenario's objects brought together: what it describes, on this machine. Plans first; then, where
// the scenario has numbers, trains.
class Training {
 public:
  struct Options {
    int threads = 1;
    bool computes = false;  // run() will follow: what the scenario computes on must be there
    std::string version{};
    SimulationOptions simulation{};  // what the scenario doesn't say of its time
    std::function<void(const train::StepResult&)> on_step{};
    std::function<void(const std::string&)> note{};  // to a person
  };

  Training(const scenario::Scenario& scenario, scenario::Job job, Options options);

  // The training step's plan, for a whole batch or for so many rows.
  const plan::Plan& plan() { return plan(job_.global_batch); }
  const plan::Plan& plan(std::int64_t rows);
  const Step& step();
  report::Planned planned();
  plan::MemoryReport memory();
  StepPlacement placement();

  // The largest batch whose step finds a place on the device; none where the device has no limit, or not even
  // one row fits.
  std::optional<std::int64_t> largest_batch_that_fits();

  // A whole batch's step on the platform. Requires: there is one, and the step fits.
  const Simulation& simulate() { return simulate(job_.global_batch, phases_.size() - 1); }
  // What those two time; first a device alone with its rows.
  std::vector<plan::Plan> timed_plans();
  // One of the devices, alone with as many rows as each replica has, or with the whole batch.
  report::Baseline baseline();
  const scenario::Machine& machine() const { return job_.machine; }

  report::Forecast forecast();

  // Trains, evaluates, writes checkpoints and weights into the folder. Without numbers: what is planned. What
  // doesn't fit ends the training, and the results say so.
  report::Results run(report::Folder& folder);

 private:
  // Steps of which the same devices are slow.
  struct Phase {
    std::int64_t from_step = 0;
    std::vector<double> slow{};  // by replica; empty: none
    std::vector<std::string> what{};
  };

  const Simulation& simulate(std::int64_t rows, std::size_t phase);
  void fold(SimulationOptions& options, const plan::Plan& plan) const;
  void find_phases();
  std::size_t phase_of(std::int64_t step) const;
  Seconds time_before(std::int64_t step);
  Bytes stored_row() const;
  Seconds time_of_rows(std::int64_t rows) const;
  void feed(SimulationOptions& options, std::span<const std::int64_t> replica_rows) const;
  void add_phases(report::Simulated& told);
  void lose_worker(report::Results& results);
  void time_out(report::Results& results);
  std::optional<Seconds> timeout() const;
  bool is_cut_off(const train::EpochResult& epoch) const;
  void take_seats(report::Results& results);
  void train(report::Results& results, report::Folder& folder);
  bool fits(std::int64_t rows);
  std::vector<Tensor> batch_of(std::int64_t rows) const;
  std::vector<std::int64_t> replica_rows(std::int64_t rows) const;
  const Simulation& simulated_alone(std::int64_t rows);
  plan::Plan plan_alone(std::int64_t rows);
  std::int64_t baseline_rows() const;
  SimulationOptions simulation_options(std::int64_t rows) const;
  std::vector<std::optional<plan::Capacity>> capacities(const plan::Plan& plan);
  train::CompileOptions evaluation_options() const;
  train::FitOptions fit_options(report::Results& results, report::Folder& folder);
  train::Progress restore();
  void require_something_left(const train::Progress& done) const;
  void finish_step(train::StepResult step, report::Results& results);
  void finish_epoch(train::EpochResult epoch, report::Results& results, report::Folder& folder);
  void save_checkpoint(std::int64_t epoch, std::int64_t steps, report::Folder& folder);
  train::EpochResult evaluate_checkpoint(report::Folder& folder);
  void save_weights(report::Folder& folder);
  std::int64_t last_epoch() const;

  const scenario::Scenario& scenario_;
  scenario::Job job_;
  Options options_;
  device::Workers workers_;
  HostQueues queues_;
  Lowering lowering_;
  train::Machine machine_;
  train::State state_;
  train::Model model_;
  train::Model evaluator_;
  train::Progress done_{};  // the checkpoint's, where the training began with one
  double losses_of_epoch_ = 0;
  std::vector<Phase> phases_{};
  std::map<std::pair<std::int64_t, std::size_t>, Simulation>
      simulations_{};                           // by rows of the step, and phase
  std::map<std::int64_t, Simulation> alone_{};  // of one device
};

// Every problem of the names that a scenario gives to what it writes.
void check_output_names(const scenario::Scenario& scenario);

}  // namespace wt
